// prog imp
// constant table
//
// fun table() -> (size.0: i64, table.1: mem) {
//   size.0 = 4
//   table.1 = alloc i64[size.0]
//   var p.2: *i64
//   p.2 = data table.1[0]
//   for i.3 = 0 .. size.0 independent {
//     p.2[i.3] = i.3
//   }
// }
//
// fun powers(steps.0: i64) -> (n.1: i64, xs.2: mem) {
//   const 0 (0 -> n.1, 1 -> xs.2)
//   for i.3 = 0 .. steps.0 {
//     var p.4: *i64
//     p.4 = data xs.2[0]
//     xs.2 = call twice(n.1, &p.4[0] in xs.2)
//   }
// }
//
// fun twice(n.0: i64, xs.1: mem) -> (ys.2: mem) {
//   ys.2 = alloc i64[n.0]
//   var p.3: *i64
//   p.3 = data xs.1[0]
//   var q.4: *i64
//   q.4 = data ys.2[0]
//   for i.5 = 0 .. n.0 independent {
//     q.4[i.5] = mul_i64(2, p.3[(n.0 + -1*i.5 + -1)])
//   }
// }

// One thread

struct fe_constants {
  int64_t table_0;
  struct fe_mem table_1;
};

static int fe_fun_twice(struct futhark_context *ctx, struct fe_mem *out_ys, int64_t n, struct fe_mem xs);

static int fe_fun_table(struct futhark_context *ctx, int64_t *out_size, struct fe_mem *out_table) {
  int err = 0;
  struct fe_mem table = {0};
  int64_t size = 0;
  size = 4;
  if ((err = fe_alloc(ctx, &table, fe_bytes(size, 8))) != 0) {
    goto cleanup;
  }
  int64_t *p = (int64_t *)table.data;
  #pragma omp simd
  for (int64_t i = 0; i < size; i++) {
    p[i] = i;
  }
  *out_size = size;
  fe_move(ctx, out_table, &table);
cleanup:
  fe_free(ctx, &table);
  return err;
}

static int fe_fun_powers(struct futhark_context *ctx, int64_t *out_n, struct fe_mem *out_xs, int64_t steps) {
  int err = 0;
  struct fe_mem xs = {0};
  int64_t n = 0;
  n = ctx->constants->table_0;
  fe_borrow(ctx, &xs, &ctx->constants->table_1);
  for (int64_t i = 0; i < steps; i++) {
    int64_t *p = (int64_t *)xs.data;
    if ((err = fe_fun_twice(ctx, &xs, n, (struct fe_mem){(unsigned char *)p, xs.block})) != 0) {
      goto cleanup;
    }
  }
  *out_n = n;
  fe_move(ctx, out_xs, &xs);
cleanup:
  fe_free(ctx, &xs);
  return err;
}

static int fe_fun_twice(struct futhark_context *ctx, struct fe_mem *out_ys, int64_t n, struct fe_mem xs) {
  int err = 0;
  struct fe_mem ys = {0};
  if ((err = fe_alloc(ctx, &ys, fe_bytes(n, 8))) != 0) {
    goto cleanup;
  }
  int64_t *p = (int64_t *)xs.data;
  int64_t *q = (int64_t *)ys.data;
  #pragma omp simd
  for (int64_t i = 0; i < n; i++) {
    q[i] = fe_mul_i64(2, p[n - i - 1]);
  }
  fe_move(ctx, out_ys, &ys);
cleanup:
  fe_free(ctx, &ys);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  if (err == 0) {
    err = fe_fun_table(ctx, &ctx->constants->table_0, &ctx->constants->table_1);
  }
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  fe_free(ctx, &ctx->constants->table_1);
}
