// prog imp
//
// fun element(n.0: i64, xs.1: mem, i.2: i64) -> (x.3: f64, copy.4: mem) {
//   var copy.5: mem
//   copy.5 = alloc f64[n.0]
//   copy.4 = alloc u8[10]
//   var from.6: *f64
//   from.6 = data xs.1[0]
//   var to.7: *f64
//   to.7 = data copy.5[0]
//   copy to.7[0] <- from.6[0], n.0
//   assert and_bool(le_i64(0, i.2), lt_i64(i.2, n.0)), "index [" $i.2: i64 "] is 100% outside of \"[" $n.0: i64 "]\"" at "a.fut:1:2" "b.fut:3:4"
//   x.3 = to.7[i.2]
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_element(struct futhark_context *ctx, double *out_x, struct fe_mem *out_copy, int64_t n, struct fe_mem xs, int64_t i) {
  int err = 0;
  struct fe_mem copy = {0};
  struct fe_mem copy_1 = {0};
  double x = 0.0;
  if ((err = fe_alloc(ctx, &copy_1, fe_bytes(n, 8))) != 0) {
    goto cleanup;
  }
  if ((err = fe_alloc(ctx, &copy, 10)) != 0) {
    goto cleanup;
  }
  double *from = (double *)xs.data;
  double *to = (double *)copy_1.data;
  fe_copy(to, from, n, sizeof(double));
  if (!(0 <= i && i < n)) {
    err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR,
                  "index [%" PRId64 "] is 100%% outside of \"[%" PRId64 "]\""
                  "\nBacktrace:"
                  "\n-> #0  a.fut:1:2"
                  "\n   #1  b.fut:3:4", i, n);
    goto cleanup;
  }
  x = to[i];
  *out_x = x;
  fe_move(ctx, out_copy, &copy);
cleanup:
  fe_free(ctx, &copy);
  fe_free(ctx, &copy_1);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
