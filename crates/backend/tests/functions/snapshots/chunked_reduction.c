// prog imp sites 1
//
// fun total(n.0: i64, xs.1: mem) -> (total.2: f64) {
//   var chunks.3: i64
//   chunks.3 = chunks 0 of n.0
//   var partials.4: mem
//   partials.4 = alloc f64[chunks.3]
//   var partials.5: *f64
//   partials.5 = data partials.4[0]
//   tasks at 0 lo.6 .. hi.7 of n.0 chunk chunk.8 of chunks.3 {
//     var scratch.9: mem
//     scratch.9 = alloc f64[8]
//     scratch.9 = share xs.1
//     var xs.10: *f64
//     xs.10 = data scratch.9[0]
//     var acc.11: f64 = 0.0f64
//     for i.12 = lo.6 .. hi.7 independent add(acc.11) {
//       assert le_f64(0.0f64, xs.10[i.12]), "negative: " $i.12: i64
//       acc.11 = add_f64(acc.11, xs.10[i.12])
//     }
//     partials.5[chunk.8] = acc.11
//   }
//   for j.13 = 0 .. chunks.3 {
//     total.2 = add_f64(total.2, partials.5[j.13])
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_total(struct futhark_context *ctx, double *out_total, int64_t n, struct fe_mem xs) {
  int err = 0;
  struct fe_mem partials = {0};
  struct fe_mem scratch = {0};
  double total = 0.0;
  int64_t chunks = 1;
  if ((err = fe_alloc(ctx, &partials, fe_bytes(chunks, 8))) != 0) {
    goto cleanup;
  }
  double *partials_1 = (double *)partials.data;
  {
    const int64_t chunk = 0;
    const int64_t lo = 0;
    const int64_t hi = n;
    if ((err = fe_alloc(ctx, &scratch, 64)) != 0) {
      goto cleanup;
    }
    fe_share(ctx, &scratch, &xs, 0);
    double *xs_1 = (double *)scratch.data;
    double acc = 0.0;
    FE_INDEPENDENT
    for (int64_t i = lo; i < hi; i++) {
      if (!(0.0 <= xs_1[i])) {
        err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR,
                      "negative: %" PRId64, i);
        goto cleanup;
      }
      acc += xs_1[i];
    }
    partials_1[chunk] = acc;
  }
  for (int64_t j = 0; j < chunks; j++) {
    total += partials_1[j];
  }
  *out_total = total;
cleanup:
  fe_free(ctx, &partials);
  fe_free(ctx, &scratch);
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

struct fe_env_total_0 {
  struct fe_mem xs;
  double *partials_1;
};

static int fe_task_total_0(struct futhark_context *ctx, void *env_, int64_t chunk, int64_t lo, int64_t hi) {
  int err = 0;
  struct fe_mem scratch = {0};
  const struct fe_env_total_0 *env = env_;
  struct fe_mem xs = env->xs;
  double *partials_1 = env->partials_1;
  if ((err = fe_alloc(ctx, &scratch, 64)) != 0) {
    goto cleanup;
  }
  fe_share(ctx, &scratch, &xs, 0);
  double *xs_1 = (double *)scratch.data;
  double acc = 0.0;
  FE_INDEPENDENT
  for (int64_t i = lo; i < hi; i++) {
    if (!(0.0 <= xs_1[i])) {
      err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR,
                    "negative: %" PRId64, i);
      goto cleanup;
    }
    acc += xs_1[i];
  }
  partials_1[chunk] = acc;
cleanup:
  fe_free(ctx, &scratch);
  return err;
}

static int fe_fun_total(struct futhark_context *ctx, double *out_total, int64_t n, struct fe_mem xs) {
  int err = 0;
  struct fe_mem partials = {0};
  double total = 0.0;
  int64_t chunks = fe_chunks(ctx, 0, n);
  if ((err = fe_alloc(ctx, &partials, fe_bytes(chunks, 8))) != 0) {
    goto cleanup;
  }
  double *partials_1 = (double *)partials.data;
  {
    struct fe_env_total_0 env = {
      .xs = {xs.data, NULL},
      .partials_1 = partials_1,
    };
    if ((err = fe_parallel_chunks(ctx, 0, fe_task_total_0, &env, n, (int)chunks)) != 0) {
      goto cleanup;
    }
  }
  for (int64_t j = 0; j < chunks; j++) {
    total += partials_1[j];
  }
  *out_total = total;
cleanup:
  fe_free(ctx, &partials);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
