// prog imp sites 1
//
// fun scale(k.0: f64, n.1: i64, xs.2: mem) -> (ys.3: mem) {
//   ys.3 = alloc f64[n.1]
//   var xs.4: *f64
//   xs.4 = data xs.2[0]
//   var ys.5: *f64
//   ys.5 = data ys.3[0]
//   tasks at 0 lo.6 .. hi.7 of n.1 chunk chunk.8 {
//     for i.9 = lo.6 .. hi.7 independent {
//       ys.5[i.9] = mul_f64(k.0, xs.4[i.9])
//     }
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_scale(struct futhark_context *ctx, struct fe_mem *out_ys, double k, int64_t n, struct fe_mem xs) {
  int err = 0;
  struct fe_mem ys = {0};
  if ((err = fe_alloc(ctx, &ys, fe_bytes(n, 8))) != 0) {
    goto cleanup;
  }
  double *xs_1 = (double *)xs.data;
  double *ys_1 = (double *)ys.data;
  {
    const int64_t chunk = 0;
    const int64_t lo = 0;
    const int64_t hi = n;
    #pragma omp simd
    for (int64_t i = lo; i < hi; i++) {
      ys_1[i] = k * xs_1[i];
    }
  }
  fe_move(ctx, out_ys, &ys);
cleanup:
  fe_free(ctx, &ys);
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

struct fe_env_scale_0 {
  double *ys_1;
  double k;
  double *xs_1;
};

static int fe_task_scale_0(struct futhark_context *ctx, void *env_, int64_t chunk, int64_t lo, int64_t hi) {
  const struct fe_env_scale_0 *env = env_;
  double *ys_1 = env->ys_1;
  double k = env->k;
  double *xs_1 = env->xs_1;
  #pragma omp simd
  for (int64_t i = lo; i < hi; i++) {
    ys_1[i] = k * xs_1[i];
  }
  return 0;
}

static int fe_fun_scale(struct futhark_context *ctx, struct fe_mem *out_ys, double k, int64_t n, struct fe_mem xs) {
  int err = 0;
  struct fe_mem ys = {0};
  if ((err = fe_alloc(ctx, &ys, fe_bytes(n, 8))) != 0) {
    goto cleanup;
  }
  double *xs_1 = (double *)xs.data;
  double *ys_1 = (double *)ys.data;
  {
    struct fe_env_scale_0 env = {
      .ys_1 = ys_1,
      .k = k,
      .xs_1 = xs_1,
    };
    if ((err = fe_parallel_for(ctx, 0, fe_task_scale_0, &env, n)) != 0) {
      goto cleanup;
    }
  }
  fe_move(ctx, out_ys, &ys);
cleanup:
  fe_free(ctx, &ys);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
