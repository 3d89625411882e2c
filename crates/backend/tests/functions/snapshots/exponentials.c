// prog imp
//
// fun exponentials(n.0: i64, xs.1: mem) -> (total.2: f32) {
//   var xs.3: *f32
//   xs.3 = data xs.1[0]
//   total.2 = exp_f32(0.0f32)
//   for i.4 = 0 .. n.0 independent add(total.2) {
//     total.2 = add_f32(total.2, exp_f32(xs.3[i.4]))
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_exponentials(struct futhark_context *ctx, float *out_total, int64_t n, struct fe_mem xs) {
  float total = 0.0f;
  float *xs_1 = (float *)xs.data;
  total = fe_alone_exp_f32(0.0f);
  FE_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    total += fe_exp_f32(xs_1[i]);
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
