// prog imp
//
// fun rows(n.0: i64, m.1: i64, matrix.2: mem) -> (sums.3: mem) {
//   var a.4: *i64
//   a.4 = data matrix.2[0]
//   sums.3 = alloc i64[n.0]
//   var sums.5: *i64
//   sums.5 = data sums.3[0]
//   for i.6 = 0 .. n.0 independent {
//     var acc.7: i64 = 0
//     for j.8 = 0 .. (m.1 + -1) {
//       acc.7 = add_i64(acc.7, a.4[(i.6*m.1 + j.8 + 1)])
//     }
//     sums.5[i.6] = acc.7
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_rows(struct futhark_context *ctx, struct fe_mem *out_sums, int64_t n, int64_t m, struct fe_mem matrix) {
  int err = 0;
  struct fe_mem sums = {0};
  int64_t *a = (int64_t *)matrix.data;
  if ((err = fe_alloc(ctx, &sums, fe_bytes(n, 8))) != 0) {
    goto cleanup;
  }
  int64_t *sums_1 = (int64_t *)sums.data;
  FE_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    int64_t acc = 0;
    for (int64_t j = 0; j < m - 1; j++) {
      acc = fe_add_i64(acc, a[i * m + j + 1]);
    }
    sums_1[i] = acc;
  }
  fe_move(ctx, out_sums, &sums);
cleanup:
  fe_free(ctx, &sums);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
