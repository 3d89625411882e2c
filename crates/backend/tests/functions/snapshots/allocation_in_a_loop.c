// prog imp
//
// fun buffers(n.0: i64) -> (out.1: mem, same.2: mem) {
//   out.1 = alloc i64[n.0]
//   var sums.3: *i64
//   sums.3 = data out.1[0]
//   for i.4 = 0 .. n.0 {
//     var buffer.5: mem
//     buffer.5 = alloc i64[(100*i.4 + 1)]
//     var p.6: *i64
//     p.6 = data buffer.5[i.4]
//     for j.7 = 0 .. i.4 {
//       p.6[j.7] = j.7
//     }
//     var acc.8: i64 = 0
//     for j.7 = 0 .. i.4 {
//       acc.8 = add_i64(acc.8, p.6[j.7])
//     }
//     sums.3[i.4] = acc.8
//   }
//   free buffer.5
//   same.2 = share out.1
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_buffers(struct futhark_context *ctx, struct fe_mem *out_out, struct fe_mem *out_same, int64_t n) {
  int err = 0;
  struct fe_mem out = {0};
  struct fe_mem same = {0};
  struct fe_mem buffer = {0};
  if ((err = fe_alloc(ctx, &out, fe_bytes(n, 8))) != 0) {
    goto cleanup;
  }
  int64_t *sums = (int64_t *)out.data;
  for (int64_t i = 0; i < n; i++) {
    if ((err = fe_alloc(ctx, &buffer, fe_bytes(100 * i + 1, 8))) != 0) {
      goto cleanup;
    }
    int64_t *p = (int64_t *)buffer.data + i;
    for (int64_t j = 0; j < i; j++) {
      p[j] = j;
    }
    int64_t acc = 0;
    for (int64_t j = 0; j < i; j++) {
      acc = fe_add_i64(acc, p[j]);
    }
    sums[i] = acc;
  }
  fe_free(ctx, &buffer);
  fe_share(ctx, &same, &out, 0);
  fe_move(ctx, out_out, &out);
  fe_move(ctx, out_same, &same);
cleanup:
  fe_free(ctx, &out);
  fe_free(ctx, &same);
  fe_free(ctx, &buffer);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
