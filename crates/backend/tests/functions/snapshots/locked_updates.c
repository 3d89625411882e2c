// prog imp sites 1
//
// fun update(n.0: i64, xs.1: mem) -> () {
//   var p.2: *i64
//   p.2 = data xs.1[0]
//   tasks at 0 lo.3 .. hi.4 of n.0 chunk chunk.5 {
//     for i.6 = lo.3 .. hi.4 {
//       locked i.6 {
//         assert lt_i64(p.2[0], 10), "full"
//         p.2[0] = add_i64(p.2[0], i.6)
//       }
//     }
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_update(struct futhark_context *ctx, int64_t n, struct fe_mem xs) {
  int err = 0;
  int64_t *p = (int64_t *)xs.data;
  {
    const int64_t chunk = 0;
    const int64_t lo = 0;
    const int64_t hi = n;
    for (int64_t i = lo; i < hi; i++) {
      {
        if (p[0] >= 10) {
          err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR,
                        "full");
          return err;
        }
        p[0] = fe_add_i64(p[0], i);
      }
    }
  }
  return 0;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}

// Many threads

struct fe_env_update_0 {
  int64_t *p;
};

static int fe_task_update_0(struct futhark_context *ctx, void *env_, int64_t chunk, int64_t lo, int64_t hi) {
  int err = 0;
  const struct fe_env_update_0 *env = env_;
  int64_t *p = env->p;
  for (int64_t i = lo; i < hi; i++) {
    {
      const int64_t lock = i;
      fe_lock(&ctx->locks, lock);
      if (p[0] >= 10) {
        err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR,
                      "full");
        fe_unlock(&ctx->locks, lock);
        return err;
      }
      p[0] = fe_add_i64(p[0], i);
      fe_unlock(&ctx->locks, lock);
    }
  }
  return 0;
}

static int fe_fun_update(struct futhark_context *ctx, int64_t n, struct fe_mem xs) {
  int err = 0;
  int64_t *p = (int64_t *)xs.data;
  {
    struct fe_env_update_0 env = {
      .p = p,
    };
    if ((err = fe_parallel_for(ctx, 0, fe_task_update_0, &env, n)) != 0) {
      return err;
    }
  }
  return 0;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
