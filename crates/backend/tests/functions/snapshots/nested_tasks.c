// fun products(n.1: i64) -> (table.0: mem) {
//   table.0 = alloc i64[n.1*n.1]
//   var table.2: *i64
//   table.2 = &table.0[0]
//   var factors.3: i64[2]
//   factors.3[0] = 1
//   factors.3[1] = -1
//   tasks at 0 lo.5 .. hi.6 of n.1 {
//     for i.10 = lo.5 .. hi.6 independent {
//       var row.12: *i64
//       row.12 = &table.2[i.10*n.1]
//       tasks at 1 lo.8 .. hi.9 of n.1 {
//         for j.11 = lo.8 .. hi.9 independent {
//           row.12[j.11] = mul_i64(i.10*j.11, factors.3[and_i64(j.11, 1)])
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
