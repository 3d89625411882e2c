// The dialect in which device programs are written, for OpenCL C 1.2 and later. It needs no generic pointers, which
// many implementations lack: FE_GLOBAL and FE_LOCAL say which memory a pointer points into.

#define FE_DEVICE_CODE
#define FE_STRICT_FLOAT // functions of floats are those of the device

#if __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#ifdef FE_NO_CONTRACTION
#pragma OPENCL FP_CONTRACT OFF
#endif

// Names that an implementation may have, too.
#define int8_t char
#define int16_t short
#define int32_t int
#define int64_t long
#define uint8_t uchar
#define uint16_t ushort
#define uint32_t uint
#define uint64_t ulong

#define INT32_MIN INT_MIN
#define INT64_MIN LONG_MIN

#define FE_GLOBAL __global
#define FE_LOCAL __local
#define FE_CONSTANT __constant
#define FE_SHARED __local __attribute__((aligned(16)))
#define FE_RESTRICT restrict

#define FE_UNROLL _Pragma("unroll")
// Threads are lanes already. PoCL 3.1 vectorises such loops nevertheless, and loses the stores of the second one of two that a
// barrier separates.
#ifdef __clang__
#define FE_STRIDED _Pragma("clang loop vectorize(disable)")
#else
#define FE_STRIDED
#endif
#define FE_STRIDED_STEP FE_STRIDED

#define FE_DEVICE static inline
#define FE_KERNEL __kernel
#define FE_BOUNDS(threads)
#define FE_BOUNDS_RESIDENTS(threads, blocks)

// The dynamically sized shared memory is a parameter of all kernels.
// A pointer to global memory cannot point to anything else.
#define FE_SHARED_INSTEAD(pointer)
#define FE_BEGIN()
#define FE_DYNAMIC_SHARED(name) __local unsigned char *const name = fe_dynamic

FE_DEVICE int64_t fe_block_id(void) { return (int64_t)get_group_id(0); }
FE_DEVICE int64_t fe_num_blocks(void) { return (int64_t)get_num_groups(0); }
FE_DEVICE int fe_thread_id(void) { return (int)get_local_id(0); }
FE_DEVICE int fe_block_size(void) { return (int)get_local_size(0); }

#define FE_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// At the end of a branch with a barrier. Clang 15 moves what both branches end with behind them, also a barrier; PoCL 3.1 then lets threads execute what
// a condition before it excludes. Empty assembly stays where it is.
#if defined __clang__ && (defined __x86_64__ || defined __aarch64__)
#define FE_APART() __asm__ volatile("")
#else
#define FE_APART()
#endif
#define FE_ARRIVALS() FE_SHARED int fe_last;
#define FE_ARRIVE(last, counter, of)                         \
  do {                                                       \
    FE_BARRIER();                                            \
    if (get_local_id(0) == 0) {                              \
      fe_last = fe_is_last(failure, counter, of);            \
    }                                                        \
    FE_BARRIER();                                            \
    last = fe_last != 0;                                     \
  } while (0)
// Fences have had a scope since 2.0. Before, that of a work item is all that there is.
#if __OPENCL_C_VERSION__ >= 200
#define FE_FENCE() atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define FE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

// Within a block, to shared memory.
#define FE_BLOCK_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// The builtins of C compilers that scalar.h, convert.h and math.h use, and functions with the names that C has for f32.
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if !__has_builtin(__builtin_constant_p)
#define __builtin_constant_p(a) false
#endif
#define __builtin_popcount(a) ((int)popcount((uint)(a)))
#define __builtin_popcountll(a) ((int)popcount((ulong)(a)))
#define __builtin_clz(a) ((int)clz((uint)(a)))
#define __builtin_clzll(a) ((int)clz((ulong)(a)))
#define __builtin_ctz(a) (31 - (int)clz((uint)(a) & (0u - (uint)(a))))
#define __builtin_ctzll(a) (63 - (int)clz((ulong)(a) & ((ulong)0 - (ulong)(a))))
#define FE_MUL_HI_U64(a, b) mul_hi((ulong)(a), (ulong)(b))
// Half as long as a square root and a division, and within two units in the last place.
#define FE_RSQRTf rsqrt
#define FE_RSQRT rsqrt
// A sine and a cosine of the same number.
#define fe_sincos_f32(a, s, c) (*(s) = sincos(a, c))
#define fe_sincos_f64(a, s, c) (*(s) = sincos(a, c))
#define __builtin_sqrtf sqrt
#define __builtin_sqrt sqrt
#define __builtin_ceilf ceil
#define __builtin_ceil ceil
#define __builtin_floorf floor
#define __builtin_floor floor
#define __builtin_rintf rint
#define __builtin_rint rint
#define __builtin_truncf trunc
#define __builtin_trunc trunc
#define __builtin_fabsf fabs
#define __builtin_fabs fabs
#define __builtin_copysignf copysign
#define __builtin_copysign copysign
#define __builtin_fmaf fma
#define __builtin_fma fma
#define fmodf fmod
#define nextafterf nextafter
#define ldexpf ldexp
#define tgammaf tgamma
#undef lgamma_r
#define lgammaf_r(a, sign) (*(sign) = 0, lgamma(a))
#define lgamma_r(a, sign) (*(sign) = 0, lgamma(a))
#define cbrtf cbrt
#define expf exp
#define logf log
#define log2f log2
#define log10f log10
#define log1pf log1p
#define sinf sin
#define cosf cos
#define tanf tan
#define asinf asin
#define acosf acos
#define atanf atan
#define sinhf sinh
#define coshf cosh
#define tanhf tanh
#define asinhf asinh
#define acoshf acosh
#define atanhf atanh
#define atan2f atan2
#define hypotf hypot
#define powf pow
#define erff erf
#define erfcf erfc

FE_DEVICE uint32_t fe_bits_f32_u32(float a) { return as_uint(a); }
FE_DEVICE float fe_bits_u32_f32(uint32_t a) { return as_float(a); }
FE_DEVICE uint64_t fe_bits_f64_u64(double a) { return as_ulong(a); }
FE_DEVICE double fe_bits_u64_f64(uint64_t a) { return as_double(a); }

// For functions with a version for each kind of memory.
#define FE_OVERLOADED static inline __attribute__((overloadable))
#define FE_EACH_SPACE(MACRO) MACRO(__global) MACRO(__local)

// Exchanges in one step; they yield what was there.
#define FE_EXCHANGES(SPACE)                                                                            \
  FE_OVERLOADED uint32_t fe_cas_32(SPACE uint32_t *p, uint32_t expected, uint32_t wanted) {            \
    return atomic_cmpxchg((volatile SPACE uint32_t *)p, expected, wanted);                             \
  }                                                                                                    \
  FE_OVERLOADED uint32_t fe_swap_32(SPACE uint32_t *p, uint32_t wanted) {                              \
    return atomic_xchg((volatile SPACE uint32_t *)p, wanted);                                          \
  }
FE_EACH_SPACE(FE_EXCHANGES)
#ifdef cl_khr_int64_base_atomics
#define FE_EXCHANGES_64(SPACE)                                                                         \
  FE_OVERLOADED uint64_t fe_cas_64(SPACE uint64_t *p, uint64_t expected, uint64_t wanted) {            \
    return atom_cmpxchg((volatile SPACE uint64_t *)p, expected, wanted);                               \
  }                                                                                                    \
  FE_OVERLOADED uint64_t fe_swap_64(SPACE uint64_t *p, uint64_t wanted) {                              \
    return atom_xchg((volatile SPACE uint64_t *)p, wanted);                                            \
  }
FE_EACH_SPACE(FE_EXCHANGES_64)
#else
#define FE_NO_ATOMICS_64
#endif

#define FE_WORD_OF(SPACE, p) ((SPACE uint32_t *)((size_t)(p) & ~(size_t)3))
#define FE_SHIFT_OF(p) (8 * (uint32_t)((size_t)(p) & 3))
