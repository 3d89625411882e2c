// prog imp
//
// fun say(c.0: bool) -> () {
//   assert c.0, " " $-8i8: i8 " " $-16i16: i16 " " $-2147483648i32: i32 " " $-9223372036854775808: i64 " " $255u8: u8 " " $65535u16: u16 " " $4294967295u32: u32 " " $18446744073709551615u64: u64 " " $1.5f16: f16 " " $-0.1f32: f32 " " $f64.bits(0xfff8000000000000): f64 " " $-f64.inf: f64 " " $true: bool
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_say(struct futhark_context *ctx, bool c) {
  int err = 0;
  if (!c) {
    err = fe_fail(ctx, FUTHARK_PROGRAM_ERROR,
                  " %d %d %d %" PRId64 " %u %u %u %" PRIu64 " %f %f %f %f %s", (int)-8, (int)-16, (int)INT32_MIN, (int64_t)INT64_MIN, (unsigned)255, (unsigned)65535, (unsigned)4294967295U, (uint64_t)18446744073709551615ULL, fe_shown(fe_conv_f16_f64(fe_bits_u16_f16(0x3e00 /* 1.5 */))), fe_shown(-0.1f), fe_shown(fe_bits_u64_f64(0xfff8000000000000ULL)), fe_shown(-INFINITY), true ? "true" : "false");
    return err;
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
