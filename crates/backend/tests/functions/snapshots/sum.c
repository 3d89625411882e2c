// fun sum(n.1: i64, xs.2: mem) -> (total.0: f64) {
//   var xs.3: *f64
//   xs.3 = &xs.2[0]
//   total.0 = 0.0f64
//   for i.4 = 0 .. n.1 independent add(total.0) {
//     total.0 = add_f64(total.0, xs.3[i.4])
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
  #pragma omp simd reduction(+: total)
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
