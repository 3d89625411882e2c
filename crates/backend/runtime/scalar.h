// Arithmetic, comparisons and bit counting for all scalar types.
//
// For every operation and type there is one function, "fe_OP_TYPE" with the operation's name in the
// IR: fe_add_i32, fe_mod_u8, fe_lt_f64. They compute exactly what the reference interpreter does, never
// have undefined behaviour, and have no branches (except integer powers): they may be evaluated in
// inactive vector lanes, so dividing by zero yields some number and does not trap.
//
// Integers wrap: they are computed as unsigned numbers that are not narrower than int, since narrower ones would
// be promoted to int. The cast back and ">>" of negative numbers are defined by gcc and clang.
//
// Device programs also contain this file, after device/cuda.h or device/opencl.h, with FE_DEVICE_CODE defined.

#ifndef FE_DEVICE_CODE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#endif

// The bits of an f16. Its operations are functions, too: never use C's operators on it.
typedef uint16_t FE_F16;

// Devices have functions for these.
#ifndef FE_DEVICE_CODE
union fe_pun32 {
  float f;
  uint32_t u;
};

union fe_pun64 {
  double f;
  uint64_t u;
};

static inline uint32_t fe_bits_f32_u32(float a) {
  union fe_pun32 p = {.f = a};
  return p.u;
}

static inline float fe_bits_u32_f32(uint32_t a) {
  union fe_pun32 p = {.u = a};
  return p.f;
}

static inline uint64_t fe_bits_f64_u64(double a) {
  union fe_pun64 p = {.f = a};
  return p.u;
}

static inline double fe_bits_u64_f64(uint64_t a) {
  union fe_pun64 p = {.u = a};
  return p.f;
}
#endif

// Loops are only vectorised if all that they call is inlined, and compilers stop inlining in large functions. Programs for
// devices are inlined anyway.
#ifdef FE_DEVICE_CODE
#define FE_INLINE static inline
#else
#define FE_INLINE static inline __attribute__((always_inline))
#endif

// The first statements of a power of floats: for small exponents that are known a product is as good as the C library's
// result, and far cheaper.
#if defined(FE_DEVICE_CODE) || defined(FE_STRICT_FLOAT)
#define FE_SMALL_POWERS
#else
#define FE_SMALL_POWERS                                                                                   \
  if (__builtin_constant_p(b) && b == 2) return a * a;                                                    \
  if (__builtin_constant_p(b) && b == 3) return a * a * a;                                                \
  if (__builtin_constant_p(b) && b == 4) return (a * a) * (a * a);
#endif

// Shifts. C leaves open what happens if the distance is that of all bits or more. NVIDIA's devices say it, and it is what we want: zeros, or
// the sign. There, what follows a comparison and a choice elsewhere is a single instruction.
#ifdef __CUDA_ARCH__
#define FE_SHIFTS(N, T, U, S, W, BITS) FE_SHIFTS_##BITS(N, T, U, S, W, BITS)
#define FE_SHIFTS_8 FE_SHIFTS_OF_WORDS
#define FE_SHIFTS_16 FE_SHIFTS_OF_WORDS
#define FE_SHIFTS_32 FE_SHIFTS_OF_WORDS
#define FE_SHIFTS_64 FE_GUARDED_SHIFTS
FE_INLINE uint32_t fe_word_shl(uint32_t a, uint32_t b) {
  uint32_t shifted;
  asm("shl.b32 %0, %1, %2;" : "=r"(shifted) : "r"(a), "r"(b));
  return shifted;
}
FE_INLINE uint32_t fe_word_lshr(uint32_t a, uint32_t b) {
  uint32_t shifted;
  asm("shr.u32 %0, %1, %2;" : "=r"(shifted) : "r"(a), "r"(b));
  return shifted;
}
FE_INLINE int32_t fe_word_ashr(int32_t a, uint32_t b) {
  int32_t shifted;
  asm("shr.s32 %0, %1, %2;" : "=r"(shifted) : "r"(a), "r"(b));
  return shifted;
}
#define FE_SHIFTS_OF_WORDS(N, T, U, S, W, BITS)                                                           \
  FE_INLINE T fe_shl_##N(T a, T b) { return (T)fe_word_shl((uint32_t)(U)a, (U)b); }                       \
  FE_INLINE T fe_lshr_##N(T a, T b) { return (T)fe_word_lshr((uint32_t)(U)a, (U)b); }                     \
  FE_INLINE T fe_ashr_##N(T a, T b) { return (T)fe_word_ashr((int32_t)(S)a, (U)b); }
#else
#define FE_SHIFTS FE_GUARDED_SHIFTS
#endif

// A negative distance is a large unsigned one. Distances are cut so that no lane shifts too far.
#define FE_GUARDED_SHIFTS(N, T, U, S, W, BITS)                                                            \
  FE_INLINE T fe_shl_##N(T a, T b) {                                                                      \
    T shifted = (T)((W)a << ((U)b & (BITS - 1)));                                                         \
    return (U)b < BITS ? shifted : (T)0;                                                                  \
  }                                                                                                       \
  FE_INLINE T fe_lshr_##N(T a, T b) {                                                                     \
    T shifted = (T)((W)(U)a >> ((U)b & (BITS - 1)));                                                      \
    return (U)b < BITS ? shifted : (T)0;                                                                  \
  }                                                                                                       \
  FE_INLINE T fe_ashr_##N(T a, T b) {                                                                     \
    return (T)((S)a >> ((U)b < BITS ? (U)b : (U)(BITS - 1)));                                             \
  }

// What signed and unsigned integers share. N: name, T: type, U: unsigned type of the same width,
// S: signed one, W: unsigned type to compute in, BITS: width.
#define FE_INT(N, T, U, S, W, BITS)                                                                       \
  FE_INLINE T fe_add_##N(T a, T b) { return (T)((W)a + (W)b); }                                           \
  FE_INLINE T fe_sub_##N(T a, T b) { return (T)((W)a - (W)b); }                                           \
  FE_INLINE T fe_mul_##N(T a, T b) { return (T)((W)a * (W)b); }                                           \
  FE_INLINE T fe_neg_##N(T a) { return (T)((W)0 - (W)a); }                                                \
  FE_INLINE T fe_not_##N(T a) { return (T)~a; }                                                           \
  FE_INLINE T fe_and_##N(T a, T b) { return (T)(a & b); }                                                 \
  FE_INLINE T fe_or_##N(T a, T b) { return (T)(a | b); }                                                  \
  FE_INLINE T fe_xor_##N(T a, T b) { return (T)(a ^ b); }                                                 \
  FE_INLINE T fe_min_##N(T a, T b) { return a < b ? a : b; }                                              \
  FE_INLINE T fe_max_##N(T a, T b) { return a < b ? b : a; }                                              \
  FE_INLINE bool fe_eq_##N(T a, T b) { return a == b; }                                                   \
  FE_INLINE bool fe_lt_##N(T a, T b) { return a < b; }                                                    \
  FE_INLINE bool fe_le_##N(T a, T b) { return a <= b; }                                                   \
  FE_SHIFTS(N, T, U, S, W, BITS)                                                                          \
  /* By distances that are known, and shorter than the type. */                                           \
  FE_INLINE T fe_shl_by_##N(T a, int b) { return (T)((W)a << b); }                                        \
  FE_INLINE T fe_lshr_by_##N(T a, int b) { return (T)((W)(U)a >> b); }                                    \
  FE_INLINE T fe_ashr_by_##N(T a, int b) { return (T)((S)a >> b); }                                       \
  static inline T fe_square_multiply_##N(T base, U exponent) {                                            \
    W result = 1, square = (W)base;                                                                       \
    while (exponent > 0) {                                                                                \
      result = (exponent & 1) != 0 ? result * square : result;                                            \
      square *= square;                                                                                   \
      exponent = (U)(exponent >> 1);                                                                      \
    }                                                                                                     \
    return (T)result;                                                                                     \
  }                                                                                                       \
  FE_INLINE T fe_mad_hi_##N(T a, T b, T c) { return fe_add_##N(fe_mul_hi_##N(a, b), c); }

// Quotients by positive constants, on processors: of numbers without a sign. Rounding down takes two instructions more than rounding towards zero
// this way, and six otherwise. And gcc (12.2, with or without -fwrapv) takes a / 3 for the negation of -a / 3, of which it is not if a is the least
// number: that has no negation.
#ifdef FE_DEVICE_CODE
#define FE_BY_CONSTANT(b) 0
#else
#define FE_BY_CONSTANT(b) (__builtin_constant_p(b) && (b) > 0)
#endif

// Signed integers. Q computes the quotient of two numbers, whose divisor is neither 0 nor -1, towards
// zero.
#define FE_SIGNED(N, T, U, W, BITS, Q)                                                                    \
  FE_INT(N, T, U, T, W, BITS)                                                                             \
  /* By a mask: compilers like to make a jump of the choice if another one depends on it. */               \
  FE_INLINE T fe_abs_##N(T a) {                                                                           \
    U sign = (U)(T)(a >> (BITS - 1));                                                                     \
    return (T)(U)(((U)a ^ sign) - sign);                                                                  \
  }                                                                                                       \
  FE_INLINE T fe_sgn_##N(T a) { return (T)((a > 0) - (a < 0)); }                                          \
  FE_INLINE T fe_shr_##N(T a, T b) { return fe_ashr_##N(a, b); }                                          \
  FE_INLINE T fe_shr_by_##N(T a, int b) { return fe_ashr_by_##N(a, b); }                                  \
  /* By constants. The complement of a negative number is not negative, and neither is its negation without a sign. */  \
  FE_INLINE T fe_div_by_##N(T a, T b) {                                                                   \
    U sign = (U)(T)(a >> (BITS - 1));                                                                     \
    return (T)(U)((U)(((U)a ^ sign) / (U)b) ^ sign);                                                      \
  }                                                                                                       \
  FE_INLINE T fe_quot_by_##N(T a, T b) {                                                                  \
    U sign = (U)(T)(a >> (BITS - 1));                                                                     \
    return (T)(U)(((U)((U)(((U)a ^ sign) - sign) / (U)b) ^ sign) - sign);                                 \
  }                                                                                                       \
  /* Divisors 0 and -1 are replaced by 1: a number that is divided by -1 is negated. */                   \
  FE_INLINE T fe_quot_##N(T a, T b) {                                                                     \
    if (FE_BY_CONSTANT(b)) return fe_quot_by_##N(a, b);                                                   \
    T divisor = (b == 0) | (b == -1) ? (T)1 : b;                                                          \
    T quotient = Q(a, divisor, T);                                                                        \
    /* By a mask: a choice by something that a loop does not change keeps compilers from vectorising it. */  \
    U negate = (U)-(U)(b == -1);                                                                          \
    return (T)(U)(((U)quotient ^ negate) - negate);                                                       \
  }                                                                                                       \
  FE_INLINE T fe_rem_##N(T a, T b) {                                                                      \
    if (FE_BY_CONSTANT(b)) return fe_sub_##N(a, fe_mul_##N(fe_quot_by_##N(a, b), b));                     \
    T divisor = (b == 0) | (b == -1) ? (T)1 : b;                                                          \
    T quotient = Q(a, divisor, T);                                                                        \
    return fe_sub_##N(a, fe_mul_##N(quotient, divisor));                                                  \
  }                                                                                                       \
  /* Rounding towards zero has rounded up if the remainder is not 0, and its sign not the divisor's: then -1, which is  \
     also a mask, and otherwise 0. Without comparisons, whose results compilers like to keep as bytes. */                \
  FE_INLINE T fe_up_##N(T remainder, T b) {                                                               \
    U some = (U)((U)remainder | (U)(0 - (U)remainder)), other = (U)((U)remainder ^ (U)b);                 \
    return (T)((T)(some & other) >> (BITS - 1));                                                          \
  }                                                                                                       \
  FE_INLINE T fe_div_##N(T a, T b) {                                                                      \
    if (__builtin_constant_p(b) && b > 0 && (b & (b - 1)) == 0)                                           \
      return (T)(a >> __builtin_ctzll((uint64_t)b));                                                     \
    if (FE_BY_CONSTANT(b)) return fe_div_by_##N(a, b);                                                    \
    return fe_add_##N(fe_quot_##N(a, b), fe_up_##N(fe_rem_##N(a, b), b));                                 \
  }                                                                                                       \
  FE_INLINE T fe_mod_##N(T a, T b) {                                                                      \
    if (__builtin_constant_p(b) && b > 0 && (b & (b - 1)) == 0) return (T)(a & (b - 1));                  \
    if (FE_BY_CONSTANT(b)) return fe_sub_##N(a, fe_mul_##N(fe_div_by_##N(a, b), b));                      \
    T remainder = fe_rem_##N(a, b);                                                                       \
    return fe_add_##N(remainder, (T)(b & fe_up_##N(remainder, b)));                                       \
  }                                                                                                       \
  /* With a negative exponent only 1 and -1 have a power that is not zero. */                             \
  static inline T fe_pow_##N(T a, T b) {                                                                  \
    if (__builtin_constant_p(b) && b == 2) return fe_mul_##N(a, a);                                       \
    T inverse = a == 1 ? (T)1 : a == -1 ? (T)(1 - 2 * (b & 1)) : (T)0;                                    \
    T power = fe_square_multiply_##N(a, (U)(b < 0 ? (T)0 : b));                                           \
    return b < 0 ? inverse : power;                                                                       \
  }

#define FE_UNSIGNED(N, T, S, W, BITS, Q)                                                                  \
  FE_INT(N, T, T, S, W, BITS)                                                                             \
  FE_INLINE T fe_abs_##N(T a) { return a; }                                                               \
  FE_INLINE T fe_sgn_##N(T a) { return a != 0; }                                                          \
  FE_INLINE T fe_shr_##N(T a, T b) { return fe_lshr_##N(a, b); }                                          \
  FE_INLINE T fe_shr_by_##N(T a, int b) { return fe_lshr_by_##N(a, b); }                                  \
  FE_INLINE T fe_quot_##N(T a, T b) {                                                                     \
    T divisor = b == 0 ? (T)1 : b;                                                                        \
    return Q(a, divisor, T);                                                                              \
  }                                                                                                       \
  FE_INLINE T fe_rem_##N(T a, T b) { return fe_sub_##N(a, fe_mul_##N(fe_quot_##N(a, b), b)); }            \
  FE_INLINE T fe_div_##N(T a, T b) { return fe_quot_##N(a, b); }                                          \
  FE_INLINE T fe_mod_##N(T a, T b) { return fe_rem_##N(a, b); }                                           \
  static inline T fe_pow_##N(T a, T b) {                                                                  \
    if (__builtin_constant_p(b) && b == 2) return fe_mul_##N(a, a);                                       \
    return fe_square_multiply_##N(a, b);                                                                  \
  }

// Vector units have no division of integers. The quotient of floats with at least twice the bits,
// rounded towards zero, is the same number: a quotient that is not whole is too far from the next whole
// number to be rounded to it. A divisor that is known is left to the compiler, which multiplies.
#define FE_QUOT_PLAIN(a, b, T) ((T)((a) / (b)))
#ifdef FE_DEVICE_CODE
#define FE_QUOT_F32 FE_QUOT_PLAIN
#define FE_QUOT_F64 FE_QUOT_PLAIN
#else
#ifdef FE_FAST_MATH
// Quotients are approximate, with errors of less than 2^-20 of themselves. So they are enlarged by 2^-18: with 16 bits, one that is not
// whole is at least 2^-17 of itself away from the next whole number.
#define FE_ROUNDED_UP *(1 + 0x1p-18f)
#else
#define FE_ROUNDED_UP
#endif
#define FE_QUOT_F32(a, b, T)                                                                              \
  (__builtin_constant_p(b) ? (T)((a) / (b)) : (T)((float)(a) / (float)(b)FE_ROUNDED_UP))
// For f64 it is a product with the reciprocal, which a loop with one divisor computes once. Numbers that are divisible are the
// ones at risk: so the reciprocal is enlarged by 2^-50 of itself, more than all errors of rounding. The product is then
// too large by less than 2^-49 of itself, which is less than 2^-17 / b, and others are 1 / b away from the next whole number.
#define FE_RECIPROCAL(b) ((1.0 / (double)(b)) * (1 + 0x1p-50))
#define FE_QUOT_F64(a, b, T) (__builtin_constant_p(b) ? (T)((a) / (b)) : (T)((double)(a) * FE_RECIPROCAL(b)))
#endif

// Upper half of the product, by a type of twice the width.
#define FE_MUL_HI(N, T, WIDE, BITS)                                                                       \
  FE_INLINE T fe_mul_hi_##N(T a, T b) { return (T)(((WIDE)a * (WIDE)b) >> BITS); }

FE_MUL_HI(i8, int8_t, int32_t, 8)
FE_MUL_HI(i16, int16_t, int32_t, 16)
FE_MUL_HI(i32, int32_t, int64_t, 32)
FE_MUL_HI(u8, uint8_t, uint32_t, 8)
FE_MUL_HI(u16, uint16_t, uint32_t, 16)
FE_MUL_HI(u32, uint32_t, uint64_t, 32)

// One instruction where there is one; otherwise in four parts, and none of the sums overflows.
FE_INLINE uint64_t fe_mul_hi_u64(uint64_t a, uint64_t b) {
#if defined(FE_MUL_HI_U64)
  return FE_MUL_HI_U64(a, b);
#elif defined(__SIZEOF_INT128__) && !defined(FE_DEVICE_CODE)
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)(((wide)a * b) >> 64);
#else
  uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)cross;
  return a1 * b1 + (cross >> 32) + (other >> 32);
#endif
}

// A negative factor counts 2^64 too much as unsigned number, that is, the other factor in the upper half.
FE_INLINE int64_t fe_mul_hi_i64(int64_t a, int64_t b) {
  uint64_t high = fe_mul_hi_u64((uint64_t)a, (uint64_t)b);
  return (int64_t)(high - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}

FE_SIGNED(i8, int8_t, uint8_t, uint32_t, 8, FE_QUOT_F32)
FE_SIGNED(i16, int16_t, uint16_t, uint32_t, 16, FE_QUOT_F32)
FE_SIGNED(i32, int32_t, uint32_t, uint32_t, 32, FE_QUOT_F64)
FE_SIGNED(i64, int64_t, uint64_t, uint64_t, 64, FE_QUOT_PLAIN)
FE_UNSIGNED(u8, uint8_t, int8_t, uint32_t, 8, FE_QUOT_F32)
FE_UNSIGNED(u16, uint16_t, int16_t, uint32_t, 16, FE_QUOT_F32)
FE_UNSIGNED(u32, uint32_t, int32_t, uint32_t, 32, FE_QUOT_F64)
FE_UNSIGNED(u64, uint64_t, int64_t, uint64_t, 64, FE_QUOT_PLAIN)

// Counting bits. The builtins do not define the zeros of zero.
#define FE_COUNT(N, T, U, BITS)                                                                           \
  static inline int32_t fe_popc_##N(T a) { return __builtin_popcount((U)a); }                             \
  static inline int32_t fe_clz_##N(T a) { return a == 0 ? BITS : __builtin_clz((U)a) - (32 - BITS); }     \
  static inline int32_t fe_ctz_##N(T a) { return a == 0 ? BITS : __builtin_ctz((U)a); }
#define FE_COUNT_64(N, T)                                                                                 \
  static inline int32_t fe_popc_##N(T a) { return __builtin_popcountll((uint64_t)a); }                    \
  static inline int32_t fe_clz_##N(T a) { return a == 0 ? 64 : __builtin_clzll((uint64_t)a); }            \
  static inline int32_t fe_ctz_##N(T a) { return a == 0 ? 64 : __builtin_ctzll((uint64_t)a); }

FE_COUNT(i8, int8_t, uint8_t, 8)
FE_COUNT(i16, int16_t, uint16_t, 16)
FE_COUNT(i32, int32_t, uint32_t, 32)
FE_COUNT(u8, uint8_t, uint8_t, 8)
FE_COUNT(u16, uint16_t, uint16_t, 16)
FE_COUNT(u32, uint32_t, uint32_t, 32)
FE_COUNT_64(i64, int64_t)
FE_COUNT_64(u64, uint64_t)

static inline bool fe_not_bool(bool a) { return !a; }
static inline bool fe_and_bool(bool a, bool b) { return a & b; }
static inline bool fe_or_bool(bool a, bool b) { return a | b; }
static inline bool fe_xor_bool(bool a, bool b) { return a ^ b; }
static inline bool fe_eq_bool(bool a, bool b) { return a == b; }
static inline bool fe_lt_bool(bool a, bool b) { return !a & b; }
static inline bool fe_le_bool(bool a, bool b) { return !a | b; }

// Floats. The smaller and the larger one is never NaN if there is a choice, and -0 is less than 0; if nobody cares for either, that is
// one instruction.
#ifdef FE_FAST_MATH
#define FE_FIRST(wins, other_is_nan, wins_among_zeros) (wins)
#else
#define FE_FIRST(wins, other_is_nan, wins_among_zeros) ((wins) | (other_is_nan) | (wins_among_zeros))
#endif
#define FE_FLOAT(N, T, BITS, INT, FMOD, FABS)                                                             \
  static inline T fe_add_##N(T a, T b) { return a + b; }                                                  \
  static inline T fe_sub_##N(T a, T b) { return a - b; }                                                  \
  static inline T fe_mul_##N(T a, T b) { return a * b; }                                                  \
  static inline T fe_div_##N(T a, T b) { return a / b; }                                                  \
  static inline T fe_mod_##N(T a, T b) { return FMOD(a, b); }                                             \
  static inline T fe_neg_##N(T a) { return -a; }                                                          \
  static inline T fe_abs_##N(T a) { return FABS(a); }                                                     \
  static inline T fe_sgn_##N(T a) { return a != a ? a : (T)((a > 0) - (a < 0)); }                         \
  static inline T fe_min_##N(T a, T b) {                                                                  \
    return FE_FIRST(a < b, b != b, (a == b) & ((INT)BITS(a) < 0)) ? a : b;                                \
  }                                                                                                       \
  static inline T fe_max_##N(T a, T b) {                                                                  \
    return FE_FIRST(a > b, b != b, (a == b) & ((INT)BITS(b) < 0)) ? a : b;                                \
  }                                                                                                       \
  static inline bool fe_eq_##N(T a, T b) { return a == b; }                                               \
  static inline bool fe_lt_##N(T a, T b) { return a < b; }                                                \
  static inline bool fe_le_##N(T a, T b) { return a <= b; }

FE_FLOAT(f32, float, fe_bits_f32_u32, int32_t, fmodf, __builtin_fabsf)
FE_FLOAT(f64, double, fe_bits_f64_u64, int64_t, fmod, __builtin_fabs)
