// The foreign functions of functions.fut that kernels call; the text is also CUDA.
double half_of(double x) { return x / 2; }

int divided(int x, int y_by, bool y_up, int *out_0, bool *out_1) {
  *out_0 = y_by == 0 ? 0 : x / y_by + y_up;
  *out_1 = y_by != 0;
  return 0;
}

// In OpenCL, long has 64 bits; in CUDA, too, but it is not the type int64_t.
long plus(long x, long y) { return x + y; }
