// prog imp
//
// fun tails(n.0: i64, xs.1: mem) -> (new.2: mem, old.3: mem) {
//   var block.4: mem
//   block.4 = alloc i32[n.0]
//   var p.5: *i32
//   p.5 = data block.4[0]
//   var xs.6: *i32
//   xs.6 = data xs.1[0]
//   for i.7 = 0 .. n.0 independent {
//     p.5[i.7] = mul_i32(xs.6[i.7], xs.6[i.7])
//   }
//   new.2 = export &p.5[1] in block.4
//   old.3 = export &xs.6[(n.0 + -1)]
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_tails(struct futhark_context *ctx, struct fe_mem *out_new_v, struct fe_mem *out_old, int64_t n, struct fe_mem xs) {
  int err = 0;
  struct fe_mem new_v = {0};
  struct fe_mem old = {0};
  struct fe_mem block = {0};
  if ((err = fe_alloc(ctx, &block, fe_bytes(n, 4))) != 0) {
    goto cleanup;
  }
  int32_t *p = (int32_t *)block.data;
  int32_t *xs_1 = (int32_t *)xs.data;
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    p[i] = fe_mul_i32(xs_1[i], xs_1[i]);
  }
  fe_share(ctx, &new_v, &block, (unsigned char *)(p + 1) - block.data);
  fe_free(ctx, &old);
  old.data = (unsigned char *)(xs_1 + (n - 1));
  fe_move(ctx, out_new_v, &new_v);
  fe_move(ctx, out_old, &old);
cleanup:
  fe_free(ctx, &new_v);
  fe_free(ctx, &old);
  fe_free(ctx, &block);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
