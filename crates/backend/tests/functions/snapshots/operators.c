// prog imp
//
// fun operators(x.0: f64, y.1: f64, i.2: i64, u.3: u32, s.4: i8, c.5: bool) -> (results.6: mem) {
//   results.6 = alloc f64[19]
//   var p.7: *f64
//   p.7 = data results.6[0]
//   p.7[0] = sub_f64(x.0, sub_f64(y.1, -1.0f64))
//   p.7[1] = sub_f64(sub_f64(x.0, y.1), mul_f64(sub_f64(x.0, y.1), 0.5f64))
//   p.7[2] = neg_f64(neg_f64(-2.0f64))
//   p.7[3] = sqrt_f64(max_f64(x.0, f64.nan))
//   p.7[4] = select(and_bool(or_bool(c.5, lt_i64(i.2, 0)), not_bool(lt_i64(i.2, 5))), 1.0f64, 0.0f64)
//   p.7[5] = select(or_bool(and_bool(c.5, c.5), or_bool(not_bool(le_i64(i.2, -9223372036854775808)), c.5)), 1.0f64, 0.0f64)
//   p.7[6] = select(not_bool(lt_f64(x.0, f64.nan)), 1.0f64, 0.0f64)
//   p.7[7] = select(lt_u32(u.3, 0u32), 1.0f64, 0.0f64)
//   p.7[8] = select(le_bool(c.5, eq_i64(i.2, 7)), 1.0f64, 0.0f64)
//   p.7[9] = i64_to_f64(or_i64(and_i64(i.2, add_i64(i.2, -9223372036854775808)), xor_i64(i.2, -1)))
//   p.7[10] = u32_to_f64(add_u32(mul_u32(u.3, u.3), 4294967295u32))
//   p.7[11] = i8_to_f64(add_i8(s.4, s.4))
//   p.7[12] = u8_to_f64(not_u8(i8_to_u8(s.4)))
//   p.7[13] = f16_to_f64(add_f16(i8_to_f16(s.4), 0.5f16))
//   p.7[14] = i64_to_f64(f64_to_i64(-2.5f64))
//   p.7[15] = u64_to_f64(f64_bits_u64(select(c.5, 0.0f64, 5e-324f64)))
//   p.7[16] = i64_to_f64((-3*i.2*i.2 + 0*i.2 + -1*i.2 + -2))
//   p.7[17] = bool_to_f64(xor_bool(c.5, eq_bool(c.5, true)))
//   p.7[18] = i64_to_f64(div_i64(i.2, -2))
// }

// One thread

struct fe_constants {
  char none;
};

static int fe_fun_operators(struct futhark_context *ctx, struct fe_mem *out_results, double x, double y, int64_t i, uint32_t u, int8_t s, bool c) {
  int err = 0;
  struct fe_mem results = {0};
  if ((err = fe_alloc(ctx, &results, 152)) != 0) {
    goto cleanup;
  }
  double *p = (double *)results.data;
  p[0] = x - (y - -1.0);
  p[1] = x - y - (x - y) * 0.5;
  p[2] = -(-(-2.0));
  p[3] = fe_sqrt_f64(fe_max_f64(x, NAN));
  p[4] = (c || i < 0) && i >= 5 ? 1.0 : 0.0;
  p[5] = (c && c) || i > INT64_MIN || c ? 1.0 : 0.0;
  p[6] = !(x < NAN) ? 1.0 : 0.0;
  p[7] = false ? 1.0 : 0.0;
  p[8] = !c || i == 7 ? 1.0 : 0.0;
  p[9] = (double)((i & fe_add_i64(i, INT64_MIN)) | (i ^ -1));
  p[10] = (double)(u * u + 4294967295U);
  p[11] = (double)fe_add_i8(s, s);
  p[12] = (double)fe_not_u8((uint8_t)s);
  p[13] = fe_conv_f16_f64(fe_add_f16(fe_conv_i8_f16(s), fe_bits_u16_f16(0x3800 /* 0.5 */)));
  p[14] = (double)fe_conv_f64_i64(-2.5);
  p[15] = (double)fe_bits_f64_u64(c ? 0.0 : 5e-324);
  p[16] = (double)(-3 * i * i - i - 2);
  p[17] = (double)false;
  p[18] = (double)fe_div_i64(i, -2);
  fe_move(ctx, out_results, &results);
cleanup:
  fe_free(ctx, &results);
  return err;
}

static int fe_constants_init(struct futhark_context *ctx) {
  int err = 0;
  return err;
}

static void fe_constants_free(struct futhark_context *ctx) {
  (void)ctx;
}
