// The functions of api.ir, as the compiler would write them.

#define MY_TABLE_SIZE 100

static int fe_constants_init(struct futhark_context *ctx) {
  int code = fe_alloc(ctx, &ctx->constants->table, MY_TABLE_SIZE * (int64_t)sizeof(int32_t));
  if (code == FUTHARK_SUCCESS) {
    memset(ctx->constants->table.data, 0, MY_TABLE_SIZE * sizeof(int32_t));
  }
  return code;
}

static void fe_constants_free(struct futhark_context *ctx) { fe_free(ctx, &ctx->constants->table); }

static int my_dot(struct futhark_context *ctx, int32_t *out, int64_t n, struct fe_mem xs, struct fe_mem ys) {
  (void)ctx;
  const int32_t *x = (const int32_t *)xs.data, *y = (const int32_t *)ys.data;
  *out = 0;
  for (int64_t i = 0; i < n; i++) {
    *out += x[i] * y[i];
  }
  return FUTHARK_SUCCESS;
}

static int my_scale(struct futhark_context *ctx, struct fe_mem *out, int64_t n, int64_t m, struct fe_mem xs, float k) {
  float *x = (float *)xs.data;
  for (int64_t i = 0; i < n * m; i++) {
    x[i] *= k;
  }
  fe_share(ctx, out, &xs, 0);
  return FUTHARK_SUCCESS;
}

static int my_evens(struct futhark_context *ctx, int64_t *k, struct fe_mem *out, int64_t n, struct fe_mem xs) {
  int code = fe_alloc(ctx, out, n * (int64_t)sizeof(int32_t));
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  const int32_t *x = (const int32_t *)xs.data;
  int32_t *y = (int32_t *)out->data;
  *k = 0;
  for (int64_t i = 0; i < n; i++) {
    if (x[i] % 2 == 0) {
      y[(*k)++] = x[i];
    }
  }
  return FUTHARK_SUCCESS;
}

static int my_fixed(struct futhark_context *ctx, int64_t *out, int64_t n, struct fe_mem a, int64_t k, struct fe_mem xs) {
  (void)ctx, (void)xs;
  *out = 1000 * n + 100 * k + ((const int32_t *)a.data)[1];
  return FUTHARK_SUCCESS;
}

static int my_fail(struct futhark_context *ctx, int64_t *out, int64_t x) {
  struct fe_mem mem = {0};
  int code = FUTHARK_SUCCESS;
  if (x < 0) {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "%" PRId64 " is negative", x);
    code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "a consequence");
  } else if (x > 1000) {
    code = fe_alloc(ctx, &mem, INT64_MAX - 1);
  }
  fe_free(ctx, &mem);
  *out = x;
  return code;
}

static int my_halves(struct futhark_context *ctx, struct fe_mem *out, int64_t n, uint16_t h, struct fe_mem xs) {
  int code = fe_alloc(ctx, out, n * (int64_t)sizeof h);
  if (code == FUTHARK_SUCCESS) {
    memcpy(out->data, xs.data, (size_t)n * sizeof h);
    memcpy(out->data, &h, sizeof h);
  }
  return code;
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
  for (int64_t i = 0; i < n && code == FUTHARK_SUCCESS; i++) {
    ((float *)xs->data)[i] = (float)i;
    ((float *)ys->data)[i] = (float)-i;
  }
  return code;
}

static int my_area(struct futhark_context *ctx, float *out, int64_t n, uint8_t t, float r, struct fe_mem xs,
                   struct fe_mem ys) {
  (void)ctx;
  *out = t == 0 ? 3 * r * r : t == 2 ? r * r : 0;
  for (int64_t i = 0; i < n; i++) {
    *out += (float)((const int32_t *)xs.data)[2 * i + 1] + (float)ys.data[i];
  }
  return FUTHARK_SUCCESS;
}

static int my_rows(struct futhark_context *ctx, int32_t *out, int64_t n, int64_t m, struct fe_mem t, struct fe_mem xs) {
  (void)ctx;
  *out = 0;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < m && t.data[i] == 0; j++) {
      *out += ((const int32_t *)xs.data)[i * m + j];
    }
  }
  return FUTHARK_SUCCESS;
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
