// Conversions: fe_conv_FROM_TO for all pairs of scalar types, fe_bits_FROM_TO for pairs of the same width; and the
// operations on f16, which are computed in f32.
//
// Integers are truncated or extended: sign-extended if both types are signed, and zero-extended otherwise. Floats are
// rounded to nearest, ties to even. Conversions from floats to integers round towards zero; NaN and infinities become
// zero, and numbers that do not fit into 32 bits (64 for 64-bit types) become the smallest signed number of that width;
// then the low bits are kept. Conversion to bool means "not zero".

// From and to the integer types: V is the value's own type, U the unsigned type of the same width.
#define FE_CONV_FROM_INT(N, V, U)                                                                         \
  static inline int8_t fe_conv_##N##_i8(V a) { return (int8_t)a; }                                        \
  static inline int16_t fe_conv_##N##_i16(V a) { return (int16_t)a; }                                     \
  static inline int32_t fe_conv_##N##_i32(V a) { return (int32_t)a; }                                     \
  static inline int64_t fe_conv_##N##_i64(V a) { return (int64_t)a; }                                     \
  static inline uint8_t fe_conv_##N##_u8(V a) { return (uint8_t)(U)a; }                                   \
  static inline uint16_t fe_conv_##N##_u16(V a) { return (uint16_t)(U)a; }                                \
  static inline uint32_t fe_conv_##N##_u32(V a) { return (uint32_t)(U)a; }                                \
  static inline uint64_t fe_conv_##N##_u64(V a) { return (uint64_t)(U)a; }                                \
  static inline float fe_conv_##N##_f32(V a) { return (float)a; }                                         \
  static inline double fe_conv_##N##_f64(V a) { return (double)a; }                                       \
  static inline bool fe_conv_##N##_bool(V a) { return a != 0; }                                           \
  /* An integer that f32 must round is too large for f16 either way: nothing is rounded twice. */         \
  static inline FE_F16 fe_conv_##N##_f16(V a) { return fe_conv_f32_f16((float)a); }

// A float's integer part as a number of the signed type T with width BITS. What does not fit is the least number, which
// is what processors give, and infinities and NaN are zero. LEAST is the largest float that is too small to fit.
// (Selections one after the other: gcc 12 does not vectorise one by `&` of comparisons next to others.)
#define FE_TO_SIGNED(NAME, F, T, BITS, LEAST, FABS, INF)                                                  \
  static inline T NAME(F a) {                                                                             \
    const F high = (F)((uint64_t)1 << (BITS - 1));                                                        \
    F other = FABS(a) < INF ? -high : (F)0;                                                               \
    F below = a < high ? a : other;                                                                       \
    return (T)(a > LEAST ? below : other);                                                                \
  }

// Likewise, the bits of a number of the unsigned type of this width, of which negative numbers keep the low bits. Numbers in
// the upper half of the range are one turn away from a signed one, which is exact.
#define FE_TO_UNSIGNED(NAME, F, T, U, BITS, LEAST, TRUNC, FABS, INF)                                      \
  static inline U NAME(F a) {                                                                             \
    const F high = (F)((uint64_t)1 << (BITS - 1)), turn = 2 * high;                                       \
    F other = FABS(a) < INF ? -high : (F)0;                                                               \
    F upper = a < turn ? TRUNC(a) - turn : other;                                                         \
    F below = a < high ? a : upper;                                                                       \
    return (U)(T)(a > LEAST ? below : other);                                                             \
  }

// A number of 2^31 (f32) or 2^63 and more is whole.
#define FE_SAME(a) (a)
FE_TO_SIGNED(fe_float_f32_i32, float, int32_t, 32, -0x1.000002p31f, __builtin_fabsf, INFINITY)
FE_TO_SIGNED(fe_float_f32_i64, float, int64_t, 64, -0x1.000002p63f, __builtin_fabsf, INFINITY)
FE_TO_SIGNED(fe_float_f64_i32, double, int32_t, 32, -0x1.00000002p31, __builtin_fabs, (double)INFINITY)
FE_TO_SIGNED(fe_float_f64_i64, double, int64_t, 64, -0x1.0000000000001p63, __builtin_fabs, (double)INFINITY)
FE_TO_UNSIGNED(fe_float_f32_u32, float, int32_t, uint32_t, 32, -0x1.000002p31f, FE_SAME, __builtin_fabsf, INFINITY)
FE_TO_UNSIGNED(fe_float_f32_u64, float, int64_t, uint64_t, 64, -0x1.000002p63f, FE_SAME, __builtin_fabsf, INFINITY)
FE_TO_UNSIGNED(fe_float_f64_u32, double, int32_t, uint32_t, 32, -0x1.00000002p31, __builtin_trunc, __builtin_fabs,
            (double)INFINITY)
FE_TO_UNSIGNED(fe_float_f64_u64, double, int64_t, uint64_t, 64, -0x1.0000000000001p63, FE_SAME, __builtin_fabs,
            (double)INFINITY)

#define FE_CONV_FROM_FLOAT(N, F)                                                                          \
  static inline int8_t fe_conv_##N##_i8(F a) { return (int8_t)fe_float_##N##_i32(a); }                    \
  static inline int16_t fe_conv_##N##_i16(F a) { return (int16_t)fe_float_##N##_i32(a); }                 \
  static inline int32_t fe_conv_##N##_i32(F a) { return fe_float_##N##_i32(a); }                          \
  static inline int64_t fe_conv_##N##_i64(F a) { return fe_float_##N##_i64(a); }                          \
  static inline uint8_t fe_conv_##N##_u8(F a) { return (uint8_t)fe_float_##N##_u32(a); }                  \
  static inline uint16_t fe_conv_##N##_u16(F a) { return (uint16_t)fe_float_##N##_u32(a); }               \
  static inline uint32_t fe_conv_##N##_u32(F a) { return fe_float_##N##_u32(a); }                         \
  static inline uint64_t fe_conv_##N##_u64(F a) { return fe_float_##N##_u64(a); }                         \
  static inline float fe_conv_##N##_f32(F a) { return (float)a; }                                         \
  static inline double fe_conv_##N##_f64(F a) { return (double)a; }                                       \
  static inline bool fe_conv_##N##_bool(F a) { return a != 0; }

FE_CONV_FROM_FLOAT(f32, float)
FE_CONV_FROM_FLOAT(f64, double)

// By integer operations, as compilers do not vectorise the processor's own conversions of f16.

// The exponent is moved by a multiplication, which is right for subnormal numbers as well.
static inline float fe_conv_f16_f32(FE_F16 a) {
  uint32_t magnitude = (uint32_t)(a & 0x7fff) << 13, sign = (uint32_t)(a & 0x8000) << 16;
  uint32_t finite = fe_bits_f32_u32(fe_bits_u32_f32(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000 | ((a & 0x3ff) != 0 ? 0x400000 : 0);
  return fe_bits_u32_f32((magnitude >= 0x7c00u << 13 ? special : finite) | sign);
}

// Subnormal results are rounded by adding a number whose last bit is theirs; others by adding just less than
// half of the last bit, and a half if it is odd.
static inline FE_F16 fe_conv_f32_f16(float a) {
  uint32_t bits = fe_bits_f32_u32(a), magnitude = bits & 0x7fffffff, sign = (bits >> 16) & 0x8000;
  uint32_t small = fe_bits_f32_u32(fe_bits_u32_f32(magnitude) + 0.5f) - 0x3f000000;
  uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  uint32_t large = magnitude > 0x7f800000 ? 0x7e00 | ((magnitude >> 13) & 0x3ff) : 0x7c00;
  uint32_t result = magnitude < 113u << 23 ? small : magnitude >= 0x477ff000 ? large : normal;
  return (FE_F16)(result | sign);
}

static inline FE_F16 fe_conv_f16_f16(FE_F16 a) { return a; }
static inline double fe_conv_f16_f64(FE_F16 a) { return (double)fe_conv_f16_f32(a); }
static inline bool fe_conv_f16_bool(FE_F16 a) { return (a & 0x7fff) != 0; }

// Through f32 rounded to odd: truncated, with the last bit set if anything was lost. As f32 has more than two
// bits to spare, rounding that again is rounding once.
static inline FE_F16 fe_conv_f64_f16(double a) {
  float near = (float)a;
  uint32_t bits = fe_bits_f32_u32(near);
  uint32_t odd = (bits - (__builtin_fabs((double)near) > __builtin_fabs(a) ? 1 : 0)) | 1;
  bool exact = (a != a) | (__builtin_fabsf(near) == INFINITY) | ((double)near == a);
  return fe_conv_f32_f16(fe_bits_u32_f32(exact ? bits : odd));
}

// Every finite f16 fits into i32.
static inline int32_t fe_conv_f16_i32(FE_F16 a) {
  return (int32_t)fe_conv_f16_f32((a & 0x7c00) == 0x7c00 ? 0 : a);
}

static inline int8_t fe_conv_f16_i8(FE_F16 a) { return (int8_t)fe_conv_f16_i32(a); }
static inline int16_t fe_conv_f16_i16(FE_F16 a) { return (int16_t)fe_conv_f16_i32(a); }
static inline int64_t fe_conv_f16_i64(FE_F16 a) { return fe_conv_f16_i32(a); }
static inline uint8_t fe_conv_f16_u8(FE_F16 a) { return (uint8_t)fe_conv_f16_i32(a); }
static inline uint16_t fe_conv_f16_u16(FE_F16 a) { return (uint16_t)fe_conv_f16_i32(a); }
static inline uint32_t fe_conv_f16_u32(FE_F16 a) { return (uint32_t)fe_conv_f16_i32(a); }
static inline uint64_t fe_conv_f16_u64(FE_F16 a) { return (uint64_t)(int64_t)fe_conv_f16_i32(a); }

FE_CONV_FROM_INT(i8, int8_t, uint8_t)
FE_CONV_FROM_INT(i16, int16_t, uint16_t)
FE_CONV_FROM_INT(i32, int32_t, uint32_t)
FE_CONV_FROM_INT(i64, int64_t, uint64_t)
FE_CONV_FROM_INT(u8, uint8_t, uint8_t)
FE_CONV_FROM_INT(u16, uint16_t, uint16_t)
FE_CONV_FROM_INT(u32, uint32_t, uint32_t)
FE_CONV_FROM_INT(u64, uint64_t, uint64_t)

// Selected and not cast, which gcc does not vectorise.
static inline int8_t fe_conv_bool_i8(bool a) { return a ? 1 : 0; }
static inline int16_t fe_conv_bool_i16(bool a) { return a ? 1 : 0; }
static inline int32_t fe_conv_bool_i32(bool a) { return a ? 1 : 0; }
static inline int64_t fe_conv_bool_i64(bool a) { return a ? 1 : 0; }
static inline uint8_t fe_conv_bool_u8(bool a) { return a ? 1 : 0; }
static inline uint16_t fe_conv_bool_u16(bool a) { return a ? 1 : 0; }
static inline uint32_t fe_conv_bool_u32(bool a) { return a ? 1 : 0; }
static inline uint64_t fe_conv_bool_u64(bool a) { return a ? 1 : 0; }
static inline FE_F16 fe_conv_bool_f16(bool a) { return a ? 0x3c00 : 0; }
static inline float fe_conv_bool_f32(bool a) { return a ? 1.0f : 0.0f; }
static inline double fe_conv_bool_f64(bool a) { return a ? 1.0 : 0.0; }
static inline bool fe_conv_bool_bool(bool a) { return a; }

// The same bits as another type.
#define FE_BITS(N, T, M, U)                                                                               \
  static inline U fe_bits_##N##_##M(T a) { return (U)a; }                                                 \
  static inline T fe_bits_##M##_##N(U a) { return (T)a; }                                                 \
  static inline T fe_bits_##N##_##N(T a) { return a; }                                                    \
  static inline U fe_bits_##M##_##M(U a) { return a; }
FE_BITS(i8, int8_t, u8, uint8_t)
FE_BITS(i16, int16_t, u16, uint16_t)
FE_BITS(i32, int32_t, u32, uint32_t)
FE_BITS(i64, int64_t, u64, uint64_t)

static inline bool fe_bits_bool_bool(bool a) { return a; }
static inline FE_F16 fe_bits_f16_f16(FE_F16 a) { return a; }
static inline FE_F16 fe_bits_u16_f16(uint16_t a) { return a; }
static inline FE_F16 fe_bits_i16_f16(int16_t a) { return (uint16_t)a; }
static inline uint16_t fe_bits_f16_u16(FE_F16 a) { return a; }
static inline int16_t fe_bits_f16_i16(FE_F16 a) { return (int16_t)a; }
static inline float fe_bits_f32_f32(float a) { return a; }
static inline int32_t fe_bits_f32_i32(float a) { return (int32_t)fe_bits_f32_u32(a); }
static inline float fe_bits_i32_f32(int32_t a) { return fe_bits_u32_f32((uint32_t)a); }
static inline double fe_bits_f64_f64(double a) { return a; }
static inline int64_t fe_bits_f64_i64(double a) { return (int64_t)fe_bits_f64_u64(a); }
static inline double fe_bits_i64_f64(int64_t a) { return fe_bits_u64_f64((uint64_t)a); }

// Operations of f16 are those of f32, rounded. The sign bit is changed in place, so that NaN survives.
#define FE_HALF_2(OP)                                                                                     \
  static inline FE_F16 fe_##OP##_f16(FE_F16 a, FE_F16 b) {                                                \
    return fe_conv_f32_f16(fe_##OP##_f32(fe_conv_f16_f32(a), fe_conv_f16_f32(b)));                        \
  }
#define FE_HALF_COMPARE(OP)                                                                               \
  static inline bool fe_##OP##_f16(FE_F16 a, FE_F16 b) {                                                  \
    return fe_##OP##_f32(fe_conv_f16_f32(a), fe_conv_f16_f32(b));                                         \
  }

FE_HALF_2(add)
FE_HALF_2(sub)
FE_HALF_2(mul)
FE_HALF_2(div)
FE_HALF_2(mod)
FE_HALF_2(min)
FE_HALF_2(max)
FE_HALF_COMPARE(eq)
FE_HALF_COMPARE(lt)
FE_HALF_COMPARE(le)
static inline FE_F16 fe_neg_f16(FE_F16 a) { return a ^ 0x8000; }
static inline FE_F16 fe_abs_f16(FE_F16 a) { return a & 0x7fff; }
static inline FE_F16 fe_sgn_f16(FE_F16 a) { return fe_conv_f32_f16(fe_sgn_f32(fe_conv_f16_f32(a))); }
