// The foreign functions of functions.fut.
#include <stdbool.h>
#include <stdint.h>

double half(double x) { return x / 2; }

int divided(int32_t x, int32_t y_by, bool y_up, int32_t *out_0, bool *out_1) {
  *out_0 = y_by == 0 ? 0 : x / y_by + y_up;
  *out_1 = y_by != 0;
  return 0;
}

int dot(int64_t n, const float *xs, const float *ys, float *out) {
  float sum = 0;
  for (int64_t i = 0; i < n; i++) {
    sum += xs[i] * ys[i];
  }
  *out = sum;
  return 0;
}

int turned(int64_t n, int64_t m, int32_t k, const int32_t *xs_0, const uint8_t *xs_1, int32_t *out_0, uint8_t *out_1) {
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < m; j++) {
      out_0[j * n + i] = xs_0[i * m + j] + k;
      out_1[j * n + i] = xs_1[i * m + j];
    }
  }
  return 0;
}

int turned_all(int64_t count, int64_t n, int64_t m, const int32_t *k, const int32_t *xs_0, const uint8_t *xs_1, int32_t *out_0,
               uint8_t *out_1) {
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = i * n * m;
    turned(n, m, k[i], xs_0 + at, xs_1 + at, out_0 + at, out_1 + at);
  }
  return 0;
}

int ramp(int64_t n, int64_t x, int64_t *out) {
  for (int64_t i = 0; i < n; i++) {
    out[i] = i * x;
  }
  return n == 13 ? 13 : 0;
}

int64_t plus(int64_t x, int64_t y) { return x + y; }
