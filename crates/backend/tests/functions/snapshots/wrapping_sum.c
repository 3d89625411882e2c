// fun wrapping_sum(n.1: i64, xs.2: mem) -> (total.0: i32) {
//   var xs.3: *i32
//   xs.3 = &xs.2[0]
//   for i.4 = 0 .. n.1 independent add(total.0) {
//     total.0 = add_i32(total.0, xs.3[i.4])
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_wrapping_sum(struct futhark_context *ctx, int32_t *out_total, int64_t n, struct fe_mem xs) {
  int32_t total = 0;
  int32_t *xs_1 = (int32_t *)xs.data;
  FE_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    total = fe_add_i32(total, xs_1[i]);
  }
  *out_total = total;
  return 0;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
