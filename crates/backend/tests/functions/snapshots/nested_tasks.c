// prog imp sites 2
//
// fun products(n.0: i64) -> (table.1: mem) {
//   table.1 = alloc i64[(n.0*n.0)]
//   var table.2: *i64
//   table.2 = data table.1[0]
//   var factors.3: i64[2]
//   factors.3[0] = 1
//   factors.3[1] = -1
//   tasks at 0 lo.4 .. hi.5 of n.0 chunk chunk.6 {
//     for i.7 = lo.4 .. hi.5 independent {
//       var row.8: *i64
//       row.8 = &table.2[(i.7*n.0)]
//       tasks at 1 lo.9 .. hi.10 of n.0 chunk chunk.11 {
//         for j.12 = lo.9 .. hi.10 independent {
//           row.8[j.12] = mul_i64((i.7*j.12), factors.3[and_i64(j.12, 1)])
//         }
//       }
//     }
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_products(struct futhark_context *ctx, struct fe_mem *out_table, int64_t n) {
  int err = 0;
  struct fe_mem table = {0};
  if ((err = fe_alloc(ctx, &table, fe_bytes(n * n, 8))) != 0) {
    goto cleanup;
  }
  int64_t *table_1 = (int64_t *)table.data;
  int64_t factors[2];
  factors[0] = 1;
  factors[1] = -1;
  {
    const int64_t chunk = 0;
    const int64_t lo = 0;
    const int64_t hi = n;
    FE_INDEPENDENT
    for (int64_t i = lo; i < hi; i++) {
      int64_t *row = table_1 + i * n;
      {
        const int64_t chunk_1 = 0;
        const int64_t lo_1 = 0;
        const int64_t hi_1 = n;
        #pragma omp simd
        for (int64_t j = lo_1; j < hi_1; j++) {
          row[j] = fe_mul_i64(i * j, factors[j & 1]);
        }
      }
    }
  }
  fe_move(ctx, out_table, &table);
cleanup:
  fe_free(ctx, &table);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}

// Many threads

struct fe_env_products_1 {
  int64_t *row;
  int64_t i;
  int64_t *factors;
};

static int fe_task_products_1(struct futhark_context *ctx, void *env_, int64_t chunk_1, int64_t lo_1, int64_t hi_1) {
  const struct fe_env_products_1 *env = env_;
  int64_t *row = env->row;
  int64_t i = env->i;
  int64_t *factors = env->factors;
  #pragma omp simd
  for (int64_t j = lo_1; j < hi_1; j++) {
    row[j] = fe_mul_i64(i * j, factors[j & 1]);
  }
  return 0;
}

struct fe_env_products_0 {
  int64_t *table_1;
  int64_t n;
  int64_t *factors;
};

static int fe_task_products_0(struct futhark_context *ctx, void *env_, int64_t chunk, int64_t lo, int64_t hi) {
  int err = 0;
  const struct fe_env_products_0 *env = env_;
  int64_t *table_1 = env->table_1;
  int64_t n = env->n;
  int64_t *factors = env->factors;
  FE_INDEPENDENT
  for (int64_t i = lo; i < hi; i++) {
    int64_t *row = table_1 + i * n;
    {
      struct fe_env_products_1 env = {
        .row = row,
        .i = i,
        .factors = factors,
      };
      if ((err = fe_parallel_for(ctx, 1, fe_task_products_1, &env, n)) != 0) {
        return err;
      }
    }
  }
  return 0;
}

static int fe_fun_products(struct futhark_context *ctx, struct fe_mem *out_table, int64_t n) {
  int err = 0;
  struct fe_mem table = {0};
  if ((err = fe_alloc(ctx, &table, fe_bytes(n * n, 8))) != 0) {
    goto cleanup;
  }
  int64_t *table_1 = (int64_t *)table.data;
  int64_t factors[2];
  factors[0] = 1;
  factors[1] = -1;
  {
    struct fe_env_products_0 env = {
      .table_1 = table_1,
      .n = n,
      .factors = factors,
    };
    if ((err = fe_parallel_for(ctx, 0, fe_task_products_0, &env, n)) != 0) {
      goto cleanup;
    }
  }
  fe_move(ctx, out_table, &table);
cleanup:
  fe_free(ctx, &table);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
