// prog imp
//
// fun trace(n.0: i64, xs.1: mem, x.2: f64) -> () {
//   var p.3: *f32
//   p.3 = data xs.1[0]
//   trace "x \"%d\"" x.2: f64
//   trace "f16" 0.099975586f16: f16
//   trace "i8" -128i8: i8
//   trace "u64" 18446744073709551615u64: u64
//   trace "bool" lt_i64(n.0, 0): bool
//   trace_array "xs" p.3[n.0, 2]
//   trace_array "none" p.3[0, n.0]
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_trace(struct futhark_context *ctx, int64_t n, struct fe_mem xs, double x) {
  float *p = (float *)xs.data;
  fe_trace_f64("x \"%d\"", x);
  fe_trace_f16("f16", fe_bits_u16_f16(0x2e66 /* 0.099975586 */));
  fe_trace_i8("i8", -128);
  fe_trace_u64("u64", 18446744073709551615ULL);
  fe_trace_bool("bool", n < 0);
  fe_trace_array_f32("xs", p, 2, (const int64_t[]){n, 2});
  fe_trace_array_f32("none", p, 2, (const int64_t[]){0, n});
  return 0;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
