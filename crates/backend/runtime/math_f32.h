// Elementary functions of f32 as vector code: polynomials without branches, tables or library calls, which C
// compilers vectorise in loops. Special values (NaN, infinities, zeros with their sign, subnormal numbers)
// are treated as in the C library. Errors in units in the last place: exp and logarithms at most 1.2, erfc 4.5, and in
// math_wide.h sine and cosine 2, erf 2, the others 1; the test "accuracy" measures them.
//
// Nothing here depends on whether floating-point arithmetic is reordered; multiplications and additions
// are fused if the processor supports it, and the error bounds hold in either case.

#ifndef FE_STRICT_FLOAT

#ifdef __FP_FAST_FMAF
#define FE_FMA_F32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define FE_FMA_F32(a, b, c) ((a) * (b) + (c))
#endif

// Added to a number below 2^22 it leaves the nearest integer in the last bits, without a conversion that
// is undefined for NaN.
#define FE_SHIFTER_F32 0x1.8p23f

// 2^n e^r with |r| <= ln(2)/2, r being the argument less n ln(2) in two parts. Arguments whose exponential
// vanishes are cut, as integers: those of negative floats grow with their magnitude.
FE_INLINE float fe_exp_f32(float a) {
  uint32_t bits = fe_bits_f32_u32(a), least = fe_bits_f32_u32(-104.0f);
  float x = fe_bits_u32_f32(bits < least ? bits : least);
  float shifted = FE_FMA_F32(x, 0x1.715476p+0f, FE_SHIFTER_F32);
  float n = shifted - FE_SHIFTER_F32;
  float r = FE_FMA_F32(n, 0x1.bd0106p-13f, FE_FMA_F32(n, -0x1.63p-1f, x));
  float rr = r * r;
  float p = FE_FMA_F32(rr, 0x1.6a107ep-10f, FE_FMA_F32(r, 0x1.1245c8p-7f, 0x1.55593cp-5f));
  p = FE_FMA_F32(p, rr, FE_FMA_F32(r, 0x1.555482p-3f, 0x1.fffffcp-2f));
  p = FE_FMA_F32(rr, p, r) + 1.0f;
  // Subnormal results are rounded by a multiplication.
  bool small = x < -87.0f;
  uint32_t exponent = fe_bits_f32_u32(shifted) + (small ? 64u : 0u);
  float result = fe_bits_u32_f32(fe_bits_f32_u32(p) + (exponent << 23)) * (small ? 0x1p-64f : 1.0f);
  return a <= 0x1.62e42ep6f ? result : a + INFINITY;
}

// The argument is 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2); returns log(1 + f) - f. A subnormal argument is
// multiplied by 2^23, which is taken back from its exponent.
FE_INLINE float fe_log_parts_f32(float a, float *n, float *f) {
  uint32_t scale = a < 0x1p-126f ? 23u << 23 : 0u;
  uint32_t bits = fe_bits_f32_u32(a * fe_bits_u32_f32(0x3f800000u + scale)) - scale;
  int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
  float g = fe_bits_u32_f32(bits - ((uint32_t)exponent << 23)) - 1.0f;
  *n = (float)exponent;
  *f = g;
  float s = g * g;
  float p = FE_FMA_F32(g, -0x1.38b652p-4f, 0x1.055ba6p-3f);
  p = FE_FMA_F32(p, s, FE_FMA_F32(g, -0x1.0d8532p-3f, 0x1.22da14p-3f));
  p = FE_FMA_F32(p, s, FE_FMA_F32(g, -0x1.547246p-3f, 0x1.99a008p-3f));
  p = FE_FMA_F32(p, s, FE_FMA_F32(g, -0x1.000226p-2f, 0x1.555554p-2f));
  return s * FE_FMA_F32(p, g, -0.5f);
}

// A logarithm's value where it is not that of a positive number.
FE_INLINE float fe_log_special_f32(float a, float result) {
  float special = a == 0 ? -INFINITY : NAN;
  result = a < INFINITY ? result : a;
  return a > 0 ? result : special;
}

FE_INLINE float fe_log_f32(float a) {
  float n, f, rest = fe_log_parts_f32(a, &n, &f);
  float low = FE_FMA_F32(n, -0x1.bd0106p-13f, rest);
  return fe_log_special_f32(a, FE_FMA_F32(n, 0x1.63p-1f, f + low));
}

FE_INLINE float fe_log2_f32(float a) {
  float n, f, rest = fe_log_parts_f32(a, &n, &f);
  float high = f * 0x1.715476p+0f, low = FE_FMA_F32(f, 0x1.715476p+0f, -high);
  low = FE_FMA_F32(f, 0x1.4ae0cp-26f, low);
  return fe_log_special_f32(a, n + (high + FE_FMA_F32(rest, 0x1.715476p+0f, low)));
}

FE_INLINE float fe_log10_f32(float a) {
  float n, f, rest = fe_log_parts_f32(a, &n, &f);
  float high = f * 0x1.bcb7b2p-2f, low = FE_FMA_F32(f, 0x1.bcb7b2p-2f, -high);
  low = FE_FMA_F32(f, -0x1.5b235ep-27f, low);
  low = FE_FMA_F32(n, 0x1.3509f8p-18f, FE_FMA_F32(rest, 0x1.bcb7b2p-2f, low));
  return fe_log_special_f32(a, FE_FMA_F32(n, 0x1.344p-2f, high + low));
}

// With x = |a|, e^(x x) erfc(x) is t times a polynomial of t = 1 / (1 + 11/32 x), for all x up to where erfc
// vanishes. The square is subtracted in two parts, as the exponential would magnify its rounding. The
// exponential is computed too large by 2^64 and the polynomial too small, so that subnormal results are
// rounded once.
FE_INLINE float fe_erfc_f32(float a) {
  uint32_t bits = fe_bits_f32_u32(a) & 0x7fffffffu, most = fe_bits_f32_u32(10.5f);
  float x = fe_bits_u32_f32(bits < most ? bits : most);
#ifdef __FP_FAST_FMAF
  float square = x * x, low = __builtin_fmaf(-x, x, square);
#else
  float head = fe_bits_u32_f32(fe_bits_f32_u32(x) & 0xfffff000u), square = head * head;
  float low = (head - x) * (head + x);
#endif
  float shifted = FE_FMA_F32(square, -0x1.715476p+0f, FE_SHIFTER_F32 + 64.0f);
  float n = shifted - (FE_SHIFTER_F32 + 64.0f);
  float r = FE_FMA_F32(n, -0x1.63p-1f, -square);
  r = FE_FMA_F32(n, 0x1.bd0106p-13f, r) + low;
  float rr = r * r;
  float e = FE_FMA_F32(rr, 0x1.6a107ep-10f, FE_FMA_F32(r, 0x1.1245c8p-7f, 0x1.55593cp-5f));
  e = FE_FMA_F32(e, rr, FE_FMA_F32(r, 0x1.555482p-3f, 0x1.fffffcp-2f));
  e = FE_FMA_F32(rr, e, r);
  float y = x * 0x1.6p-2f, t = 1.0f / (1.0f + y);
  float u = FE_FMA_F32(-y, t, 0.375f);
  float uu = u * u;
  float p = FE_FMA_F32(u, 0x1.7c28c2p-69f, 0x1.8295ccp-69f);
  p = FE_FMA_F32(p, uu, FE_FMA_F32(u, -0x1.976ee4p-68f, -0x1.6e3426p-67f));
  p = FE_FMA_F32(p, uu, FE_FMA_F32(u, 0x1.907336p-68f, 0x1.4de7cp-65f));
  p = FE_FMA_F32(p, uu, FE_FMA_F32(u, 0x1.174ee4p-64f, 0x1.21b15ap-64f));
  p = FE_FMA_F32(p, uu, FE_FMA_F32(u, 0x1.abdcap-65f, 0x1.d3e036p-66f));
  p *= t;
  float right = FE_FMA_F32(p, e, p) * fe_bits_u32_f32(0x3f800000u + (fe_bits_f32_u32(shifted) << 23));
  float result = a < 0 ? 2.0f - right : right;
  return a == a ? result : a;
}

#endif
