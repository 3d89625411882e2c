// The functions of api.ir as the compiler would write them for devices; the kernels are in gpu_kernels.c.

enum { MY_SCALE, MY_DOT, MY_EVENS, MY_CHECK, MY_POINTS, MY_AREA };
static const struct fe_kernel fe_kernels[] = {
  {"my_scale", "api.fut:1:2", MY_SCALE}, {"my_dot", "api.fut:2:3", MY_DOT},          {"my_evens", "api.fut:3:4", MY_EVENS},
  {"my_check", "api.fut:4:5", MY_CHECK}, {"my_points", "api.fut:5:6", MY_POINTS}, {"my_area", "api.fut:6:7", MY_AREA},
  {NULL, NULL, 0},
};

#define POINTER(p) {&(p), sizeof(p), FE_WRITTEN}
#define SCALAR(x) {&(x), sizeof(x), FE_VALUE}
#define MY_BLOCK 64
#define LAUNCH(kernel, n, shared, ...)                                                                    \
  fe_launch(ctx, kernel, ((n) + MY_BLOCK - 1) / MY_BLOCK, MY_BLOCK, shared,                               \
            (int)(sizeof((const struct fe_arg[]){__VA_ARGS__}) / sizeof(struct fe_arg)), (const struct fe_arg[]){__VA_ARGS__})

enum { FE_NUM_CHECKS = 1 };

static void fe_device_error(struct futhark_context *ctx, int check, const int64_t *values) {
  if (check == 0) {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "%f is no number", (double)fe_bits_i32_f32((int32_t)values[15]));
  } else if (check == 1) {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "%" PRId64 " is negative", values[0]);
  } else if (check == 2) {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "not found, say %" PRId64 " threads", values[0]);
  } else {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "unknown check %d", check);
  }
}

static int fe_constants_init(struct futhark_context *ctx) {
  int code = fe_alloc(ctx, &ctx->constants->table, 400);
  return code == FUTHARK_SUCCESS ? fe_device_zero(ctx, ctx->constants->table.data, 400) : code;
}

static void fe_constants_free(struct futhark_context *ctx) { fe_free(ctx, &ctx->constants->table); }

static int my_dot(struct futhark_context *ctx, int32_t *out, int64_t n, struct fe_mem xs, struct fe_mem ys) {
  struct fe_mem sum = {0};
  int code = fe_alloc(ctx, &sum, sizeof *out);
  if (code == FUTHARK_SUCCESS) {
    code = LAUNCH(MY_DOT, 1, MY_BLOCK * sizeof(int32_t), POINTER(xs.data), POINTER(ys.data), POINTER(sum.data), SCALAR(n));
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_fetch(ctx, out, sum.data, sizeof *out);
  }
  fe_free(ctx, &sum);
  return code;
}

static int my_scale(struct futhark_context *ctx, struct fe_mem *out, int64_t n, int64_t m, struct fe_mem xs, float k) {
  int64_t count = n * m;
  int code = LAUNCH(MY_SCALE, count, 0, POINTER(xs.data), SCALAR(count), SCALAR(k));
  if (code == FUTHARK_SUCCESS && m == 7) {
    // The host is ahead of the device, and fails at something else.
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "seven columns");
  }
  fe_share(ctx, out, &xs, 0);
  return code;
}

static int my_evens(struct futhark_context *ctx, int64_t *k, struct fe_mem *out, int64_t n, struct fe_mem xs) {
  struct fe_mem count = {0};
  int code = fe_alloc(ctx, out, n * (int64_t)sizeof(int32_t));
  if (code == FUTHARK_SUCCESS) {
    code = fe_alloc(ctx, &count, sizeof *k);
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_device_zero(ctx, count.data, sizeof *k);
  }
  if (code == FUTHARK_SUCCESS) {
    code = LAUNCH(MY_EVENS, n, 0, POINTER(xs.data), POINTER(out->data), POINTER(count.data), SCALAR(n));
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_fetch(ctx, k, count.data, sizeof *k);
  }
  fe_free(ctx, &count);
  return code;
}

static int my_fixed(struct futhark_context *ctx, int64_t *out, int64_t n, struct fe_mem a, int64_t k, struct fe_mem xs) {
  (void)xs;
  int32_t second = 0;
  int code = fe_fetch(ctx, &second, a.data + sizeof second, sizeof second);
  *out = 1000 * n + 100 * k + second;
  return code;
}

static int my_fail(struct futhark_context *ctx, int64_t *out, int64_t x) {
  struct fe_mem mem = {0};
  int code = fe_alloc(ctx, &mem, x > 1000 ? INT64_MAX - 1 : 8);
  if (code == FUTHARK_SUCCESS) {
    code = LAUNCH(MY_CHECK, 1, 0, POINTER(mem.data), SCALAR(x));
  }
  // What comes after a failure does nothing.
  int64_t y = x < 0 ? 0 : x;
  if (code == FUTHARK_SUCCESS) {
    code = LAUNCH(MY_CHECK, 1, 0, POINTER(mem.data), SCALAR(y));
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_fetch(ctx, out, mem.data, sizeof *out);
  }
  fe_free(ctx, &mem);
  return code;
}

static int my_halves(struct futhark_context *ctx, struct fe_mem *out, int64_t n, uint16_t h, struct fe_mem xs) {
  int code = fe_alloc(ctx, out, n * (int64_t)sizeof h);
  if (code == FUTHARK_SUCCESS) {
    code = fe_device_copy(ctx, out->data, xs.data, n * (int64_t)sizeof h);
  }
  return code == FUTHARK_SUCCESS ? fe_put(ctx, out->data, &h, sizeof h) : code;
}

static int my_make_line(struct futhark_context *ctx, float *rx, float *ry, struct fe_mem *rt, float x, float y, int64_t n,
                        struct fe_mem tags) {
  (void)n;
  *rx = y;
  *ry = x;
  fe_share(ctx, rt, &tags, 0);
  return FUTHARK_SUCCESS;
}

static int my_points(struct futhark_context *ctx, struct fe_mem *xs, struct fe_mem *ys, int64_t n) {
  int code = fe_alloc(ctx, xs, fe_bytes(n, sizeof(float)));
  if (code == FUTHARK_SUCCESS) {
    code = fe_alloc(ctx, ys, fe_bytes(n, sizeof(float)));
  }
  return code == FUTHARK_SUCCESS ? LAUNCH(MY_POINTS, n, 0, POINTER(xs->data), POINTER(ys->data), SCALAR(n)) : code;
}

static int my_area(struct futhark_context *ctx, float *out, int64_t n, uint8_t t, float r, struct fe_mem xs,
                   struct fe_mem ys) {
  struct fe_mem sum = {0};
  const uint8_t flag = 1;
  *out = t == 0 ? 3 * r * r : t == 2 ? r * r : 0;
  int code = fe_alloc(ctx, &sum, sizeof *out);
  if (code == FUTHARK_SUCCESS) {
    code = fe_put(ctx, sum.data, out, sizeof *out);
  }
  if (code == FUTHARK_SUCCESS) {
    code = LAUNCH(MY_AREA, 1, 0, POINTER(xs.data), POINTER(ys.data), POINTER(sum.data), SCALAR(n), SCALAR(flag));
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_fetch(ctx, out, sum.data, sizeof *out);
  }
  fe_free(ctx, &sum);
  return code;
}

static int my_rows(struct futhark_context *ctx, int32_t *out, int64_t n, int64_t m, struct fe_mem t, struct fe_mem xs) {
  *out = 0;
  int code = FUTHARK_SUCCESS;
  for (int64_t i = 0; i < n && code == FUTHARK_SUCCESS; i++) {
    uint8_t tag = 1;
    code = fe_fetch(ctx, &tag, t.data + i, 1);
    for (int64_t j = 0; j < m && tag == 0 && code == FUTHARK_SUCCESS; j++) {
      int32_t x = 0;
      code = fe_fetch(ctx, &x, xs.data + 4 * (i * m + j), sizeof x);
      *out += x;
    }
  }
  return code;
}

static int my_units(struct futhark_context *ctx, int64_t n) {
  (void)ctx, (void)n;
  return FUTHARK_SUCCESS;
}

static int my_nothing(struct futhark_context *ctx) {
  (void)ctx;
  return FUTHARK_SUCCESS;
}

static int my_pair(struct futhark_context *ctx, int32_t *y, bool *z, int32_t x) {
  (void)ctx;
  *y = x + 1;
  *z = x > 0;
  return FUTHARK_SUCCESS;
}

static int my_lost(struct futhark_context *ctx, int32_t *y, int64_t n, int32_t x) {
  (void)ctx, (void)n;
  *y = x;
  return FUTHARK_SUCCESS;
}
