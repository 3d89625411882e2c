// prog imp
//
// fun wrapping_sum(n.0: i64, xs.1: mem) -> (total.2: i32) {
//   var xs.3: *i32
//   xs.3 = data xs.1[0]
//   for i.4 = 0 .. n.0 independent add(total.2) {
//     total.2 = add_i32(total.2, xs.3[i.4])
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
