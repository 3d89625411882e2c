// fun buffers(n.2: i64) -> (out.0: mem, same.1: mem) {
//   out.0 = alloc i64[n.2]
//   var sums.5: *i64
//   sums.5 = &out.0[0]
//   for i.6 = 0 .. n.2 {
//     var buffer.3: mem
//     buffer.3 = alloc i64[(100*i.6 + 1)]
//     var p.4: *i64
//     p.4 = &buffer.3[i.6]
//     for j.7 = 0 .. i.6 {
//       p.4[j.7] = j.7
//     }
//     var acc.8: i64 = 0
//     for j.7 = 0 .. i.6 {
//       acc.8 = add_i64(acc.8, p.4[j.7])
//     }
//     sums.5[i.6] = acc.8
//   }
//   free buffer.3
//   same.1 = share out.0
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
