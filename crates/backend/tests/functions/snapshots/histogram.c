// prog imp sites 1
//
// fun histogram(n.0: i64, ints.1: mem, floats.2: mem, bools.3: mem) -> () {
//   var p.4: *i32
//   p.4 = data ints.1[0]
//   var q.5: *f32
//   q.5 = data floats.2[0]
//   var r.6: *bool
//   r.6 = data bools.3[0]
//   tasks at 0 lo.7 .. hi.8 of n.0 chunk chunk.9 {
//     for i.10 = lo.7 .. hi.8 independent {
//       atomic add p.4[0], i64_to_i32(i.10)
//       atomic max p.4[1], i64_to_i32(i.10)
//       atomic xor p.4[max_i64(2, 1)], i64_to_i32(i.10)
//       atomic add q.5[0], i64_to_f32(i.10)
//       atomic min q.5[1], i64_to_f32(i.10)
//       atomic or r.6[0], eq_i64(i.10, 3)
//     }
//   }
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_histogram(struct futhark_context *ctx, int64_t n, struct fe_mem ints, struct fe_mem floats, struct fe_mem bools) {
  int32_t *p = (int32_t *)ints.data;
  float *q = (float *)floats.data;
  bool *r = (bool *)bools.data;
  {
    const int64_t chunk = 0;
    const int64_t lo = 0;
    const int64_t hi = n;
    for (int64_t i = lo; i < hi; i++) {
      p[0] = fe_add_i32(p[0], (int32_t)i);
      p[1] = fe_max_i32(p[1], (int32_t)i);
      {
        const int64_t at = fe_max_i64(2, 1);
        p[at] ^= (int32_t)i;
      }
      q[0] += (float)i;
      q[1] = fe_min_f32(q[1], (float)i);
      r[0] = r[0] || i == 3;
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

struct fe_env_histogram_0 {
  int32_t *p;
  float *q;
  bool *r;
};

static int fe_task_histogram_0(struct futhark_context *ctx, void *env_, int64_t chunk, int64_t lo, int64_t hi) {
  const struct fe_env_histogram_0 *env = env_;
  int32_t *p = env->p;
  float *q = env->q;
  bool *r = env->r;
  for (int64_t i = lo; i < hi; i++) {
    fe_atomic_add_i32(&p[0], (int32_t)i);
    fe_atomic_max_i32(&p[1], (int32_t)i);
    fe_atomic_xor_i32(&p[fe_max_i64(2, 1)], (int32_t)i);
    fe_atomic_add_f32(&q[0], (float)i);
    fe_atomic_min_f32(&q[1], (float)i);
    fe_atomic_or_bool(&r[0], i == 3);
  }
  return 0;
}

static int fe_fun_histogram(struct futhark_context *ctx, int64_t n, struct fe_mem ints, struct fe_mem floats, struct fe_mem bools) {
  int err = 0;
  int32_t *p = (int32_t *)ints.data;
  float *q = (float *)floats.data;
  bool *r = (bool *)bools.data;
  {
    struct fe_env_histogram_0 env = {
      .p = p,
      .q = q,
      .r = r,
    };
    if ((err = fe_parallel_for(ctx, 0, fe_task_histogram_0, &env, n)) != 0) {
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
