// Floating-point functions: fe_FUNCTION_TYPE with the function's name in the IR, for example fe_exp_f32.
//
// With FE_STRICT_FLOAT, elementary functions are those of the C library. Otherwise they are those of math_f32.h
// and math_wide.h, or the C library's vector versions in loops. Exact functions are the same in both.

// Device programs have this file, too; device/cuda.h and device/opencl.h say what their libraries call these functions.

#if defined(FE_DEVICE_CODE)
// Nothing is missing.
#elif !defined(_WIN32)
// Unlike lgamma these do not write to a variable that all threads share. Strict C11 headers hide them.
double lgamma_r(double, int *);
float lgammaf_r(float, int *);
#else
#define lgamma_r(a, sign) (*(sign) = 0, lgamma(a))
#define lgammaf_r(a, sign) (*(sign) = 0, lgammaf(a))
#endif

#define FE_PI 3.14159265358979323846

#ifndef FE_DEVICE_CODE
#define FE_RSQRTf(a) (1.0f / __builtin_sqrtf(a))
#define FE_RSQRT(a) (1.0 / __builtin_sqrt(a))
#endif

// Where the compiler believes that no number is NaN or infinite, it is asked for bits.
#ifdef FE_FAST_MATH
#define FE_ISNANf(a) ((fe_bits_f32_u32(a) & 0x7fffffffu) > 0x7f800000u)
#define FE_ISINFf(a) ((fe_bits_f32_u32(a) & 0x7fffffffu) == 0x7f800000u)
#define FE_ISNAN(a) ((fe_bits_f64_u64(a) & 0x7fffffffffffffffu) > 0x7ff0000000000000u)
#define FE_ISINF(a) ((fe_bits_f64_u64(a) & 0x7fffffffffffffffu) == 0x7ff0000000000000u)
#else
#define FE_ISNANf(a) (a != a)
#define FE_ISINFf(a) (__builtin_fabsf(a) == INFINITY)
#define FE_ISNAN(a) (a != a)
#define FE_ISINF(a) (__builtin_fabs(a) == (double)INFINITY)
#endif

// S: the suffix of the C library's functions on this type.
#define FE_MATH_EXACT(N, T, S)                                                                            \
  static inline T fe_sqrt_##N(T a) { return __builtin_sqrt##S(a); }                                       \
  static inline T fe_rsqrt_##N(T a) { return FE_RSQRT##S(a); }                                            \
  static inline T fe_ceil_##N(T a) { return __builtin_ceil##S(a); }                                       \
  static inline T fe_floor_##N(T a) { return __builtin_floor##S(a); }                                     \
  static inline T fe_round_##N(T a) { return __builtin_rint##S(a); }                                      \
  static inline T fe_copysign_##N(T a, T b) { return __builtin_copysign##S(a, b); }                       \
  static inline T fe_nextafter_##N(T a, T b) { return nextafter##S(a, b); }                               \
  static inline T fe_ldexp_##N(T a, int32_t b) { return ldexp##S(a, b); }                                 \
  static inline T fe_lerp_##N(T a, T b, T c) { return a + (b - a) * c; }                                  \
  static inline T fe_mad_##N(T a, T b, T c) { return a * b + c; }                                         \
  static inline T fe_fma_##N(T a, T b, T c) { return __builtin_fma##S(a, b, c); }                         \
  static inline bool fe_isnan_##N(T a) { return FE_ISNAN##S(a); }                                         \
  static inline bool fe_isinf_##N(T a) { return FE_ISINF##S(a); }                                         \
  static inline T fe_gamma_##N(T a) { return tgamma##S(a); }                                              \
  static inline T fe_lgamma_##N(T a) {                                                                    \
    int sign;                                                                                             \
    return lgamma##S##_r(a, &sign);                                                                       \
  }

FE_MATH_EXACT(f32, float, f)
FE_MATH_EXACT(f64, double, )

// What math_f32.h and math_wide.h do not have is from the C library. GNU's has vector versions of these functions, with errors
// up to 4 units in the last place; its own headers declare them only for -ffast-math.
#ifdef FE_VECTOR_LIBRARY
#define FE_SIMD __attribute__((simd("notinbranch")))
#define FE_SIMD_DECLARE(T, S)                                                                             \
  FE_SIMD T exp##S(T);                                                                                    \
  FE_SIMD T log##S(T);                                                                                    \
  FE_SIMD T log2##S(T);                                                                                   \
  FE_SIMD T log10##S(T);                                                                                  \
  FE_SIMD T erfc##S(T);                                                                                   \
  FE_SIMD T cbrt##S(T);                                                                                   \
  FE_SIMD T log1p##S(T);                                                                                  \
  FE_SIMD T sin##S(T);                                                                                    \
  FE_SIMD T cos##S(T);                                                                                    \
  FE_SIMD T tan##S(T);                                                                                    \
  FE_SIMD T asin##S(T);                                                                                   \
  FE_SIMD T acos##S(T);                                                                                   \
  FE_SIMD T atan##S(T);                                                                                   \
  FE_SIMD T sinh##S(T);                                                                                   \
  FE_SIMD T cosh##S(T);                                                                                   \
  FE_SIMD T tanh##S(T);                                                                                   \
  FE_SIMD T asinh##S(T);                                                                                  \
  FE_SIMD T acosh##S(T);                                                                                  \
  FE_SIMD T atanh##S(T);                                                                                  \
  FE_SIMD T erf##S(T);                                                                                    \
  FE_SIMD T atan2##S(T, T);                                                                               \
  FE_SIMD T hypot##S(T, T);                                                                               \
  FE_SIMD T pow##S(T, T);
FE_SIMD_DECLARE(float, f)
FE_SIMD_DECLARE(double, )
// A sine and a cosine of the same number become one call before the compiler thinks of vectors, and that one has no vector
// version. So the compiler must not know what this function is.
FE_SIMD __attribute__((const)) float fe_library_cosf(float) __asm__("cosf");
FE_SIMD __attribute__((const)) double fe_library_cos(double) __asm__("cos");
#ifdef __FP_FAST_FMAF
// The vector version takes arguments from 10,000 on one by one. Up to 2^23 the nearest multiple of a half turn is subtracted here:
// pi in three parts, the product with the first of which cancels without an error.
FE_INLINE float fe_library_sinf(float a) {
  float magnitude = __builtin_fabsf(a), shifted = __builtin_fmaf(a, 0x1.45f306p-2f, 0x1.8p23f), n = shifted - 0x1.8p23f;
  float r = __builtin_fmaf(n, -0x1.921fb6p+1f, a);
  r = __builtin_fmaf(n, 0x1.ee59dap-49f, __builtin_fmaf(n, 0x1.777a5cp-24f, r));
  bool is_large = magnitude > 8192.0f && magnitude < 0x1p23f;
  uint32_t sign = is_large ? fe_bits_f32_u32(shifted) << 31 : 0;
  return fe_bits_u32_f32(fe_bits_f32_u32(sinf(is_large ? r : a)) ^ sign);
}
#else
#define fe_library_sinf sinf
#endif
#else
#define fe_library_sinf sinf
#define fe_library_cosf cosf
#define fe_library_cos cos
#endif
#define fe_library_sin sin

#define FE_MATH_LIBRARY(N, T, S)                                                                          \
  static inline T fe_cbrt_##N(T a) { return cbrt##S(a); }                                                 \
  static inline T fe_log1p_##N(T a) { return log1p##S(a); }                                               \
  static inline T fe_asin_##N(T a) { return asin##S(a); }                                                 \
  static inline T fe_acos_##N(T a) { return acos##S(a); }                                                 \
  static inline T fe_atan_##N(T a) { return atan##S(a); }                                                 \
  static inline T fe_asinh_##N(T a) { return asinh##S(a); }                                               \
  static inline T fe_acosh_##N(T a) { return acosh##S(a); }                                               \
  static inline T fe_atanh_##N(T a) { return atanh##S(a); }                                               \
  static inline T fe_atan2_##N(T a, T b) { return atan2##S(a, b); }                                       \
  static inline T fe_hypot_##N(T a, T b) { return hypot##S(a, b); }

#define FE_MATH_LIBRARY_OWN(N, T, S)                                                                      \
  static inline T fe_exp_##N(T a) { return exp##S(a); }                                                   \
  static inline T fe_log_##N(T a) { return log##S(a); }                                                   \
  static inline T fe_log2_##N(T a) { return log2##S(a); }                                                 \
  static inline T fe_log10_##N(T a) { return log10##S(a); }                                               \
  static inline T fe_erfc_##N(T a) { return erfc##S(a); }

#define FE_MATH_LIBRARY_WIDE(N, T, S)                                                                     \
  FE_INLINE T fe_sin_##N(T a) { return fe_library_sin##S(a); }                                            \
  static inline T fe_cos_##N(T a) { return fe_library_cos##S(a); }                                        \
  static inline T fe_tan_##N(T a) { return tan##S(a); }                                                   \
  static inline T fe_sinh_##N(T a) { return sinh##S(a); }                                                 \
  static inline T fe_cosh_##N(T a) { return cosh##S(a); }                                                 \
  static inline T fe_tanh_##N(T a) { return tanh##S(a); }                                                 \
  static inline T fe_erf_##N(T a) { return erf##S(a); }                                                   \
  FE_INLINE T fe_pow_##N(T a, T b) {                                                                      \
    FE_SMALL_POWERS                                                                                       \
    return pow##S(a, b);                                                                                  \
  }

FE_MATH_LIBRARY(f32, float, f)
FE_MATH_LIBRARY(f64, double, )
FE_MATH_LIBRARY_OWN(f64, double, )
FE_MATH_LIBRARY_WIDE(f64, double, )
#ifdef FE_STRICT_FLOAT
FE_MATH_LIBRARY_OWN(f32, float, f)
#endif
#if defined(FE_STRICT_FLOAT) || defined(FE_VECTOR_LIBRARY)
FE_MATH_LIBRARY_WIDE(f32, float, f)
#endif

// The same functions where they are not in a loop that is to be vectorised: alone, what is written for vectors has no
// advantage over tables, and a sine and a cosine of the same number are one call.
#ifdef FE_VECTOR_LIBRARY
static inline float fe_alone_exp_f32(float a) { return expf(a); }
static inline float fe_alone_log_f32(float a) { return logf(a); }
static inline float fe_alone_log2_f32(float a) { return log2f(a); }
static inline float fe_alone_log10_f32(float a) { return log10f(a); }
static inline float fe_alone_sin_f32(float a) { return sinf(a); }
static inline float fe_alone_cos_f32(float a) { return cosf(a); }
static inline double fe_alone_sin_f64(double a) { return sin(a); }
static inline double fe_alone_cos_f64(double a) { return cos(a); }
#else
#define fe_alone_exp_f32 fe_exp_f32
#define fe_alone_log_f32 fe_log_f32
#define fe_alone_log2_f32 fe_log2_f32
#define fe_alone_log10_f32 fe_log10_f32
#define fe_alone_sin_f32 fe_sin_f32
#define fe_alone_cos_f32 fe_cos_f32
#define fe_alone_sin_f64 fe_sin_f64
#define fe_alone_cos_f64 fe_cos_f64
#endif

// The sine of a number of half turns. The reduction is exact, so that integers yield zero. That of a half
// turn and more is that of the rest, negated; it is symmetric about a quarter.
static inline double fe_sinpi_f64(double a) {
  double turn = a - 2 * __builtin_trunc(a * 0.5), magnitude = __builtin_fabs(turn);
  double rest = magnitude >= 1 ? magnitude - 1 : magnitude;
  double value = fe_sin_f64((rest > 0.5 ? 1 - rest : rest) * FE_PI);
  bool negative = (magnitude >= 1) ^ ((int64_t)fe_bits_f64_u64(a) < 0);
  return negative ? -value : value;
}

// The cosine of a number of half turns, likewise.
static inline double fe_cospi_f64(double a) {
  double magnitude = __builtin_fabs(a - 2 * __builtin_trunc(a * 0.5));
  double rest = magnitude > 1 ? 2 - magnitude : magnitude;
  double value = fe_cos_f64((rest > 0.5 ? 1 - rest : rest) * FE_PI);
  value = rest == 0.5 ? 0 : value;
  return rest > 0.5 ? -value : value;
}

static inline double fe_tanpi_f64(double a) { return fe_sinpi_f64(a) / fe_cospi_f64(a); }
static inline float fe_sinpi_f32(float a) { return (float)fe_sinpi_f64((double)a); }
static inline float fe_cospi_f32(float a) { return (float)fe_cospi_f64((double)a); }
static inline float fe_tanpi_f32(float a) { return (float)fe_tanpi_f64((double)a); }

#define FE_MATH_PI(N, T)                                                                                  \
  static inline T fe_asinpi_##N(T a) { return fe_asin_##N(a) / (T)FE_PI; }                                \
  static inline T fe_acospi_##N(T a) { return fe_acos_##N(a) / (T)FE_PI; }                                \
  static inline T fe_atanpi_##N(T a) { return fe_atan_##N(a) / (T)FE_PI; }                                \
  static inline T fe_atan2pi_##N(T a, T b) { return fe_atan2_##N(a, b) / (T)FE_PI; }

FE_MATH_PI(f32, float)
FE_MATH_PI(f64, double)

// Functions of f16 are those of f32, rounded.
#define FE_HALF_1(OP)                                                                                     \
  static inline FE_F16 fe_##OP##_f16(FE_F16 a) { return fe_conv_f32_f16(fe_##OP##_f32(fe_conv_f16_f32(a))); }
#define FE_HALF_3(OP)                                                                                     \
  static inline FE_F16 fe_##OP##_f16(FE_F16 a, FE_F16 b, FE_F16 c) {                                      \
    return fe_conv_f32_f16(fe_##OP##_f32(fe_conv_f16_f32(a), fe_conv_f16_f32(b), fe_conv_f16_f32(c)));    \
  }

FE_HALF_1(sqrt)
FE_HALF_1(rsqrt)
FE_HALF_1(cbrt)
FE_HALF_1(exp)
FE_HALF_1(log)
FE_HALF_1(log2)
FE_HALF_1(log10)
FE_HALF_1(log1p)
FE_HALF_1(sin)
FE_HALF_1(cos)
FE_HALF_1(tan)
FE_HALF_1(sinpi)
FE_HALF_1(cospi)
FE_HALF_1(tanpi)
FE_HALF_1(asin)
FE_HALF_1(acos)
FE_HALF_1(atan)
FE_HALF_1(asinpi)
FE_HALF_1(acospi)
FE_HALF_1(atanpi)
FE_HALF_1(sinh)
FE_HALF_1(cosh)
FE_HALF_1(tanh)
FE_HALF_1(asinh)
FE_HALF_1(acosh)
FE_HALF_1(atanh)
FE_HALF_1(gamma)
FE_HALF_1(lgamma)
FE_HALF_1(erf)
FE_HALF_1(erfc)
FE_HALF_1(ceil)
FE_HALF_1(floor)
FE_HALF_1(round)
FE_HALF_2(atan2)
FE_HALF_2(atan2pi)
FE_HALF_2(hypot)
FE_HALF_2(copysign)
FE_HALF_2(pow)
FE_HALF_3(lerp)
FE_HALF_3(mad)
FE_HALF_3(fma)
static inline bool fe_isnan_f16(FE_F16 a) { return (a & 0x7fff) > 0x7c00; }
static inline bool fe_isinf_f16(FE_F16 a) { return (a & 0x7fff) == 0x7c00; }

static inline FE_F16 fe_nextafter_f16(FE_F16 a, FE_F16 b) {
  float from = fe_conv_f16_f32(a), to = fe_conv_f16_f32(b);
  if (from != from || to != to) return 0x7e00;
  if (from == to) return b;
  if (from == 0) return (FE_F16)((b & 0x8000) | 1);
  return (FE_F16)((to > from) == (from > 0) ? a + 1 : a - 1);
}

// Scaled in f64, where nothing is lost, and rounded once.
static inline FE_F16 fe_ldexp_f16(FE_F16 a, int32_t b) {
  return fe_conv_f64_f16(ldexp(fe_conv_f16_f64(a), b < -100 ? -100 : b > 100 ? 100 : b));
}
