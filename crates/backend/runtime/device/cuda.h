// The dialect in which device programs are written, for CUDA: NVRTC compiles it without any headers, and functions
// without annotations are device functions.

#define FE_DEVICE_CODE
#define FE_STRICT_FLOAT // functions of floats are those of the device

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

// Pointers into any memory look alike.
#define FE_GLOBAL
#define FE_LOCAL
#define FE_CONSTANT static __constant__
// Aligned so that neighbouring elements can be loaded at once.
#define FE_SHARED __shared__ __align__(16)
#define FE_RESTRICT __restrict__

// Before a loop of a few iterations.
#define FE_UNROLL _Pragma("unroll")
// Before a loop whose iterations the threads of a block share.
#define FE_STRIDED
// Likewise, as a step of a loop of the block. Mostly a thread has an iteration or none, and the code around a loop that was unrolled takes longer.
#define FE_STRIDED_STEP _Pragma("unroll 1")

#define FE_DEVICE static __device__ inline
#define FE_KERNEL extern "C" __global__
// After FE_KERNEL: blocks have at most so many threads, so that registers can be dealt out.
#define FE_BOUNDS(threads) __launch_bounds__(threads)
// Likewise, and so many blocks should be on a multiprocessor at once.
#define FE_BOUNDS_RESIDENTS(threads, blocks) __launch_bounds__(threads, blocks)

// In the outermost scope of a kernel: the shared memory whose size the launch says.
#define FE_DYNAMIC_SHARED(name)                            \
  extern __shared__ __align__(16) unsigned char fe_dynamic[]; \
  unsigned char *const name = fe_dynamic

// A pointer to memory of the block becomes one to its shared memory, if the launch gives it some. A kernel is compiled for either,
// because the compiler must know what it is: instructions for any memory take longer, and it cannot tell their memories apart.
#ifdef FE_WITH_SHARED
FE_DEVICE unsigned char *fe_shared_memory(void) {
  extern __shared__ __align__(16) unsigned char fe_dynamic[];
  return fe_dynamic;
}
#define FE_SHARED_INSTEAD(pointer) pointer = fe_shared_memory()
#else
#define FE_SHARED_INSTEAD(pointer)
#endif

// Before a kernel touches memory: it may have been started before the kernels before it have ended (see fe_driver_launch), and from
// here on the next one may be. What it reads as constant (FE_RESTRICT) is so from here on only: the kernel before may have written it.
// The compilers keep such loads behind this, which a test looks at.
#if __CUDA_ARCH__ >= 900
#define FE_BEGIN() asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory")
#else
#define FE_BEGIN()
#endif

FE_DEVICE int64_t fe_block_id(void) { return (int64_t)blockIdx.x; }
FE_DEVICE int64_t fe_num_blocks(void) { return (int64_t)gridDim.x; }
FE_DEVICE int fe_thread_id(void) { return (int)threadIdx.x; }
FE_DEVICE int fe_block_size(void) { return (int)blockDim.x; }

// All threads of the block arrive, and see what the others wrote to shared and global memory before.
#define FE_BARRIER() __syncthreads()
// At the end of a branch with a barrier, which stays there.
#define FE_APART()
// A barrier at which the block is counted: the variable says whether it is the last one of so many.
#define FE_ARRIVALS()
#define FE_ARRIVE(last, counter, of)                                                       \
  do {                                                                                     \
    __syncthreads();                                                                       \
    last = __syncthreads_or(threadIdx.x == 0 && fe_is_last(failure, counter, of)) != 0;    \
  } while (0)
// What this thread has written so far is seen by all of the device before what it writes later.
#define FE_FENCE() __threadfence()
// Likewise, by all of the block.
#define FE_BLOCK_FENCE() __threadfence_block()

// The builtins of C compilers that scalar.h, convert.h and math.h use.
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807ll - 1)
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
// Compilers before 13.1 do not have this one.
#ifdef __has_builtin
#if __has_builtin(__builtin_constant_p)
#define FE_HAS_CONSTANT_P
#endif
#endif
#ifndef FE_HAS_CONSTANT_P
#define __builtin_constant_p(a) false
#endif
#define __builtin_popcount(a) __popc(a)
#define __builtin_popcountll(a) __popcll(a)
#define __builtin_clz(a) __clz((int)(a))
#define __builtin_clzll(a) __clzll((long long)(a))
#define __builtin_ctz(a) (__ffs((int)(a)) - 1)
#define __builtin_ctzll(a) (__ffsll((long long)(a)) - 1)
#define FE_MUL_HI_U64(a, b) __umul64hi(a, b)
// Half as long as a square root and a division, and within two units in the last place.
#define FE_RSQRTf rsqrtf
#define FE_RSQRT rsqrt
// A sine and a cosine of the same number.
#define fe_sincos_f32 sincosf
#define fe_sincos_f64 sincos
#define __builtin_sqrtf sqrtf
#define __builtin_sqrt sqrt
#define __builtin_ceilf ceilf
#define __builtin_ceil ceil
#define __builtin_floorf floorf
#define __builtin_floor floor
#define __builtin_rintf rintf
#define __builtin_rint rint
#define __builtin_truncf truncf
#define __builtin_trunc trunc
#define __builtin_fabsf fabsf
#define __builtin_fabs fabs
#define __builtin_copysignf copysignf
#define __builtin_copysign copysign
#define __builtin_fmaf fmaf
#define __builtin_fma fma
#define lgammaf_r(a, sign) (*(sign) = 0, lgammaf(a))
#define lgamma_r(a, sign) (*(sign) = 0, lgamma(a))

FE_DEVICE uint32_t fe_bits_f32_u32(float a) { return __float_as_uint(a); }
FE_DEVICE float fe_bits_u32_f32(uint32_t a) { return __uint_as_float(a); }
FE_DEVICE uint64_t fe_bits_f64_u64(double a) { return (uint64_t)__double_as_longlong(a); }
FE_DEVICE double fe_bits_u64_f64(uint64_t a) { return __longlong_as_double((int64_t)a); }

// Exchanges in one step; they yield what was there.
FE_DEVICE uint32_t fe_cas_32(uint32_t *p, uint32_t expected, uint32_t wanted) { return atomicCAS(p, expected, wanted); }
FE_DEVICE uint64_t fe_cas_64(uint64_t *p, uint64_t expected, uint64_t wanted) { return atomicCAS(p, expected, wanted); }
FE_DEVICE uint32_t fe_swap_32(uint32_t *p, uint32_t wanted) { return atomicExch(p, wanted); }
FE_DEVICE uint64_t fe_swap_64(uint64_t *p, uint64_t wanted) { return atomicExch(p, wanted); }

// The word that contains a byte, and the distance of the byte from the word's lowest bit.
#define FE_WORD_OF(SPACE, p) ((uint32_t *)((uint64_t)(p) & ~(uint64_t)3))
#define FE_SHIFT_OF(p) (8 * (uint32_t)((uint64_t)(p) & 3))
// For functions with a version for each kind of memory: here there is one.
#define FE_OVERLOADED static __device__ inline
#define FE_EACH_SPACE(MACRO) MACRO(FE_GLOBAL)
