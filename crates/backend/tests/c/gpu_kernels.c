// The kernels of gpu_functions.c, in what CUDA and OpenCL have in common. Their names must not be those of functions of
// OpenCL such as `dot`, which may be macros.

FE_KERNEL void my_scale(FE_FAILURE, FE_GLOBAL float *xs, int64_t n, float k) {
  FE_BEGIN();
  if (fe_failed(failure, launch)) return;
  if (fe_isnan_f32(k)) {
    if (fe_claim(failure, launch, 0)) failure->values[15] = fe_bits_f32_i32(k);
    return;
  }
  int64_t i = fe_block_id() * fe_block_size() + fe_thread_id();
  if (i < n) xs[i] = xs[i] * k;
}

// The sum of products: one block, in dynamically sized shared memory.
FE_KERNEL FE_BOUNDS(256) void my_dot(FE_FAILURE, FE_GLOBAL const int32_t *xs, FE_GLOBAL const int32_t *ys,
                                  FE_GLOBAL int32_t *out, int64_t n) {
  FE_DYNAMIC_SHARED(shared);
  FE_LOCAL int32_t *sums = (FE_LOCAL int32_t *)shared;
  int32_t sum = 0;
  int t = fe_thread_id();
  FE_BEGIN();
  if (fe_failed(failure, launch)) return;
  // A check of the first thread only, which goes on to the barriers like the others; these are counted.
  const bool fails = n > 0 && xs[0] == 404;
  if (fails && t == 0) fe_claim(failure, launch, 2);
  for (int64_t i = t; i < n; i += fe_block_size()) {
    sum = fe_add_i32(sum, fe_mul_i32(xs[i], ys[i]));
  }
  sums[t] = sum;
  FE_BARRIER();
  for (int half_size = fe_block_size() / 2; half_size > 0; half_size /= 2) {
    if (t < half_size) sums[t] = fe_add_i32(sums[t], sums[t + half_size]);
    FE_BARRIER();
  }
  if (fails) fe_atomic_add_i64(&failure->values[0], 1);
  if (t == 0) *out = sums[0];
}

// The even ones in their order; how many there are is counted in shared memory first, and then in global memory.
FE_KERNEL void my_evens(FE_FAILURE, FE_GLOBAL const int32_t *xs, FE_GLOBAL int32_t *out, FE_GLOBAL int64_t *count, int64_t n) {
  FE_SHARED int32_t found[1];
  int t = fe_thread_id();
  FE_BEGIN();
  if (fe_failed(failure, launch)) return;
  if (t == 0) found[0] = 0;
  FE_BARRIER();
  int64_t i = fe_block_id() * fe_block_size() + t;
  bool even = i < n && fe_mod_i32(xs[i], 2) == 0;
  if (even) fe_atomic_add_i32(found, 1);
  FE_BARRIER();
  if (t == 0) fe_atomic_add_i64(count, (int64_t)found[0]);
  if (even) {
    int64_t before = 0;
    for (int64_t j = 0; j < i; j++) {
      before += fe_mod_i32(xs[j], 2) == 0 ? 1 : 0;
    }
    out[before] = xs[i];
  }
}

// Fails for negative numbers.
FE_KERNEL void my_check(FE_FAILURE, FE_GLOBAL int64_t *out, int64_t x) {
  FE_BEGIN();
  if (fe_failed(failure, launch)) return;
  if (x < 0) {
    if (fe_claim(failure, launch, 1)) {
      failure->values[0] = x;
      failure->values[1] = fe_num_blocks();
    }
    return;
  }
  out[fe_block_id()] = x;
}

FE_KERNEL void my_points(FE_FAILURE, FE_GLOBAL float *xs, FE_GLOBAL float *ys, int64_t n) {
  int64_t i = fe_block_id() * fe_block_size() + fe_thread_id();
  if (i < n) {
    xs[i] = (float)i;
    ys[i] = (float)-i;
  }
}

// A table, a flag as a parameter, and truth values in memory.
FE_CONSTANT const int32_t weights[2] = {0, 1};

FE_KERNEL void my_area(FE_FAILURE, FE_GLOBAL const int32_t *xs, FE_GLOBAL const bool *ys, FE_GLOBAL float *out, int64_t n,
                    uint8_t flag) {
  for (int64_t i = fe_thread_id(); i < n; i += fe_block_size()) {
    float x = (float)(xs[2 * i + 1] * weights[flag]) + (ys[i] ? 1.0f : 0.0f);
    fe_atomic_add_f32(out, x);
  }
}
