// prog imp
//
// fun sum(n.0: i64, xs.1: mem) -> (total.2: f64) {
//   var xs.3: *f64
//   xs.3 = data xs.1[0]
//   total.2 = 0.0f64
//   for i.4 = 0 .. n.0 independent add(total.2) {
//     total.2 = add_f64(total.2, xs.3[i.4])
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_sum(struct futhark_context *ctx, double *out_total, int64_t n, struct fe_mem xs) {
  double total = 0.0;
  double *xs_1 = (double *)xs.data;
  total = 0.0;
  FE_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    total += xs_1[i];
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
