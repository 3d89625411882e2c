// Elementary functions of f32 that are computed in f64, at least in part: where f32 would need several numbers to
// represent one, half as many lanes with simple arithmetic are as fast, and the result is rounded once. Otherwise the
// same holds as for math_f32.h.
//
// They are fast in vectors and slow as single calls, so they are used only where the C library has no vector versions
// of its own.

#if !defined(FE_STRICT_FLOAT) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define FE_VECTOR_LIBRARY
#endif
#endif

#if !defined(FE_STRICT_FLOAT) && !defined(FE_VECTOR_LIBRARY)

#ifdef __FP_FAST_FMA
#define FE_FMA_F64(a, b, c) __builtin_fma(a, b, c)
#else
#define FE_FMA_F64(a, b, c) ((a) * (b) + (c))
#endif

// Added to a number below 2^51 it leaves the nearest integer in the last bits.
#define FE_SHIFTER_F64 0x1.8p52

// The distance to the nearest multiple of a quarter turn, in quarter turns, and in the last two bits of
// "quadrant" which one it is. Of the digits of 2/pi those that make multiples of four are left out, by
// ranges of arguments: three parts of the rest are enough. Their products with 24 bits are exact but for
// the last, which is small.
FE_INLINE double fe_quarter_turns(float a, uint32_t *quadrant) {
  double x = (double)a, m = __builtin_fabs(x);
  double high = m < 0x1p54 ? 0x1.45f306dp-1 : 0x1.9391054p-30;
  double middle = m < 0x1p54 ? 0x1.9391054p-30 : 0x1.4fe13abp-59;
  double low = m < 0x1p54 ? 0x1.4fe13abe8fa9ap-59 : 0x1.d1f534ddc0db6p-88;
  high = m < 0x1p84 ? high : m < 0x1p114 ? 0x1.3f84eaep-61 : 0x1.47d4d37p-90;
  middle = m < 0x1p84 ? middle : m < 0x1p114 ? 0x1.a3ea69bp-89 : 0x1.c0db628p-120;
  low = m < 0x1p84 ? low : m < 0x1p114 ? 0x1.7036d8a5664f1p-118 : 0x1.5993c439041fep-148;
  double p = x * high, q = x * middle, rest = x * low;
  p -= 4 * __builtin_rint(p * 0.25);
  q -= 4 * __builtin_rint(q * 0.25);
  double n = __builtin_rint(p + q + rest);
  *quadrant = fe_bits_f32_u32((float)n + FE_SHIFTER_F32);
  return ((p - n) + q) + rest;
}

// Sine or cosine, as the last bit of the quadrant says; the other one negates.
FE_INLINE float fe_sine_f32(float r, uint32_t quadrant) {
  float z = r * r;
  float s = FE_FMA_F32(FE_FMA_F32(z, -0x1.993d6ap-13f, 0x1.11072ep-7f), z, -0x1.555546p-3f);
  float c = FE_FMA_F32(FE_FMA_F32(z, 0x1.99f2fep-16f, -0x1.6c0c58p-10f), z, 0x1.55554ap-5f);
  s = FE_FMA_F32(s * z, r, r);
  c = FE_FMA_F32(z, FE_FMA_F32(c, z, -0.5f), 1.0f);
  float value = (quadrant & 1) != 0 ? c : s;
  return fe_bits_u32_f32(fe_bits_f32_u32(value) ^ (quadrant & 2) << 30);
}

FE_INLINE float fe_sin_f32(float a) {
  uint32_t quadrant;
  float r = (float)(fe_quarter_turns(a, &quadrant) * 0x1.921fb54442d18p+0), result = fe_sine_f32(r, quadrant);
  return __builtin_fabsf(a) < 0x1p-12f ? a : result;
}

FE_INLINE float fe_cos_f32(float a) {
  uint32_t quadrant;
  float r = (float)(fe_quarter_turns(a, &quadrant) * 0x1.921fb54442d18p+0);
  return fe_sine_f32(r, quadrant + 1);
}

FE_INLINE float fe_tan_f32(float a) {
  uint32_t quadrant;
  double r = fe_quarter_turns(a, &quadrant) * 0x1.921fb54442d18p+0, z = r * r;
  double s = FE_FMA_F64(FE_FMA_F64(z, 0x1.6ccbb8p-19, -0x1.a00f6ap-13), z, 0x1.111108p-7);
  double c = FE_FMA_F64(FE_FMA_F64(z, -0x1.242174p-22, 0x1.a010f4p-16), z, -0x1.6c16b8p-10);
  s = FE_FMA_F64(FE_FMA_F64(s, z, -0x1.555556p-3) * z, r, r);
  c = FE_FMA_F64(FE_FMA_F64(FE_FMA_F64(c, z, 0x1.555556p-5), z, -0.5), z, 1.0);
  bool odd = (quadrant & 1) != 0;
  float result = (float)((odd ? -c : s) / (odd ? s : c));
  return __builtin_fabsf(a) < 0x1p-12f ? a : result;
}

// e^x - 1 for x from 0 to 500, and the power of two that e^x is near to.
FE_INLINE double fe_expm1_wide(double x, double *power) {
  double shifted = FE_FMA_F64(x, 0x1.71547652b82fep+0, FE_SHIFTER_F64);
  double n = shifted - FE_SHIFTER_F64, r = FE_FMA_F64(n, -0x1.62e42fefa39efp-1, x);
  double p = 0x1.a01a7a362aaf1p-16;
  p = FE_FMA_F64(p, r, 0x1.a184ad6fc6086p-13);
  p = FE_FMA_F64(p, r, 0x1.6c1760ff6e133p-10);
  p = FE_FMA_F64(p, r, 0x1.1110a21bb7dd8p-7);
  p = FE_FMA_F64(p, r, 0x1.555554ed09bc9p-5);
  p = FE_FMA_F64(p, r, 0x1.55555580bca8ep-3);
  p = FE_FMA_F64(p, r, 0x1.000000001cbb5p-1);
  p = FE_FMA_F64(p, r, 0x1.fffffffff5688p-1);
  double scale = fe_bits_u64_f64((fe_bits_f64_u64(shifted) + 1023) << 52);
  *power = scale;
  return FE_FMA_F64(scale, p * r, scale - 1.0);
}

// The magnitude, at most 128, as f64. NaN becomes a number.
FE_INLINE double fe_magnitude_wide(float a) {
  uint32_t bits = fe_bits_f32_u32(a) & 0x7fffffffu, most = fe_bits_f32_u32(128.0f);
  return (double)fe_bits_u32_f32(bits < most ? bits : most);
}

FE_INLINE float fe_sinh_f32(float a) {
  double power, e = fe_expm1_wide(fe_magnitude_wide(a), &power);
  float result = (float)(0.5 * (e + e / (e + 1.0)));
  return a == a ? __builtin_copysignf(result, a) : a;
}

FE_INLINE float fe_cosh_f32(float a) {
  double power, e = fe_expm1_wide(fe_magnitude_wide(a), &power) + 1.0;
  float result = (float)(0.5 * (e + 1.0 / e));
  return a == a ? result : a;
}

FE_INLINE float fe_tanh_f32(float a) {
  double power, e = fe_expm1_wide(2.0 * fe_magnitude_wide(a), &power);
  float result = (float)(e / (e + 2.0));
  return a == a ? __builtin_copysignf(result, a) : a;
}

// A polynomial of the square for small numbers, the complement's complement for others.
FE_INLINE float fe_erf_f32(float a) {
  float z = a * a;
  float p = 0x1.5cd4ap-14f;
  p = FE_FMA_F32(p, z, -0x1.aa3f44p-11f);
  p = FE_FMA_F32(p, z, 0x1.54c7fcp-8f);
  p = FE_FMA_F32(p, z, -0x1.b80e92p-6f);
  p = FE_FMA_F32(p, z, 0x1.ce2e0ap-4f);
  p = FE_FMA_F32(p, z, -0x1.812742p-2f);
  float near = FE_FMA_F32(a, 0x1.06eba8p-3f, FE_FMA_F32(p * z, a, a));
  float far = __builtin_copysignf(1.0f - fe_erfc_f32(__builtin_fabsf(a)), a);
  return z < 0x1.b0a3d8p-1f ? near : far;
}

// 2^(y log2(x)). The logarithm is s times a polynomial of the square of s = f / (2 + f), where x = 2^n (1 + f).
FE_INLINE float fe_pow_f32(float a, float b) {
  FE_SMALL_POWERS
  float magnitude = __builtin_fabsf(a);
  uint32_t scale = magnitude < 0x1p-126f ? 23u << 23 : 0u;
  uint32_t bits = fe_bits_f32_u32(magnitude * fe_bits_u32_f32(0x3f800000u + scale)) - scale;
  int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
  double f = (double)fe_bits_u32_f32(bits - ((uint32_t)exponent << 23)) - 1.0;
  double s = f / (2.0 + f), z = s * s;
  double p = 0x1.21bbb15b3469bp-2;
  p = FE_FMA_F64(p, z, 0x1.47949f432fd3p-2);
  p = FE_FMA_F64(p, z, 0x1.a61a32fb5a20cp-2);
  p = FE_FMA_F64(p, z, 0x1.2776c28e4ce74p-1);
  p = FE_FMA_F64(p, z, 0x1.ec709dc540664p-1);
  p = FE_FMA_F64(p, z, 0x1.71547652b824fp+1);
  double logarithm = FE_FMA_F64(p, s, (double)exponent);
  logarithm = magnitude == 0 ? -(double)INFINITY : magnitude < INFINITY ? logarithm : (double)magnitude;
  double t = (double)b * logarithm;
  t = t > 160.0 ? 160.0 : t;
  t = t < -160.0 ? -160.0 : t;
  double shifted = t + FE_SHIFTER_F64, r = t - (shifted - FE_SHIFTER_F64);
  double e = 0x1.00f8cca9e4be8p-16;
  e = FE_FMA_F64(e, r, 0x1.446dee8f98a63p-13);
  e = FE_FMA_F64(e, r, 0x1.5d8713d0a88aap-10);
  e = FE_FMA_F64(e, r, 0x1.3b29d6e66c30ap-7);
  e = FE_FMA_F64(e, r, 0x1.c6b08e08c5bep-5);
  e = FE_FMA_F64(e, r, 0x1.ebfbe0ac3aca2p-3);
  e = FE_FMA_F64(e, r, 0x1.62e42fef6bf1ep-1);
  e = FE_FMA_F64(e, r, 0x1.ffffffffa594cp-1);
  float power = (float)(e * fe_bits_u64_f64((fe_bits_f64_u64(shifted) + 1023) << 52));
  bool whole = __builtin_rintf(b) == b, odd = whole & (__builtin_rintf(b * 0.5f) != b * 0.5f);
  uint32_t sign = odd ? fe_bits_f32_u32(a) & 0x80000000u : 0u;
  power = fe_bits_u32_f32(fe_bits_f32_u32(power) ^ sign);
  power = (a < 0) & (a > -INFINITY) & !whole ? NAN : power;
  bool one = (b == 0) | (a == 1) | ((a == -1) & (__builtin_fabsf(b) == INFINITY));
  return one ? 1.0f : power;
}

#endif
