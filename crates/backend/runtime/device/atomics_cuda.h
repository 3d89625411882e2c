// Atomic updates for which CUDA devices have instructions. After atomics.h, which has the others.

#define FE_ATOMIC_NATIVE(OP, NAME, TYPE, WORD, CALL)                                                    \
  FE_DEVICE TYPE fe_atomic_##OP##_##NAME(TYPE *p, TYPE x) { return (TYPE)CALL((WORD *)p, (WORD)x); }

FE_ATOMIC_NATIVE(add, i32, int32_t, int, atomicAdd)
FE_ATOMIC_NATIVE(add, u32, uint32_t, unsigned, atomicAdd)
FE_ATOMIC_NATIVE(add, i64, int64_t, unsigned long long, atomicAdd)
FE_ATOMIC_NATIVE(add, u64, uint64_t, unsigned long long, atomicAdd)
FE_ATOMIC_NATIVE(add, f32, float, float, atomicAdd)
FE_ATOMIC_NATIVE(min, i32, int32_t, int, atomicMin)
FE_ATOMIC_NATIVE(min, u32, uint32_t, unsigned, atomicMin)
FE_ATOMIC_NATIVE(min, i64, int64_t, long long, atomicMin)
FE_ATOMIC_NATIVE(min, u64, uint64_t, unsigned long long, atomicMin)
FE_ATOMIC_NATIVE(max, i32, int32_t, int, atomicMax)
FE_ATOMIC_NATIVE(max, u32, uint32_t, unsigned, atomicMax)
FE_ATOMIC_NATIVE(max, i64, int64_t, long long, atomicMax)
FE_ATOMIC_NATIVE(max, u64, uint64_t, unsigned long long, atomicMax)
FE_ATOMIC_NATIVE(and, i32, int32_t, unsigned, atomicAnd)
FE_ATOMIC_NATIVE(and, u32, uint32_t, unsigned, atomicAnd)
FE_ATOMIC_NATIVE(and, i64, int64_t, unsigned long long, atomicAnd)
FE_ATOMIC_NATIVE(and, u64, uint64_t, unsigned long long, atomicAnd)
FE_ATOMIC_NATIVE(or, i32, int32_t, unsigned, atomicOr)
FE_ATOMIC_NATIVE(or, u32, uint32_t, unsigned, atomicOr)
FE_ATOMIC_NATIVE(or, i64, int64_t, unsigned long long, atomicOr)
FE_ATOMIC_NATIVE(or, u64, uint64_t, unsigned long long, atomicOr)
FE_ATOMIC_NATIVE(xor, i32, int32_t, unsigned, atomicXor)
FE_ATOMIC_NATIVE(xor, u32, uint32_t, unsigned, atomicXor)
FE_ATOMIC_NATIVE(xor, i64, int64_t, unsigned long long, atomicXor)
FE_ATOMIC_NATIVE(xor, u64, uint64_t, unsigned long long, atomicXor)
#if __CUDA_ARCH__ >= 600
FE_ATOMIC_NATIVE(add, f64, double, double, atomicAdd)
#else
FE_ATOMIC_F64(add, FE_GLOBAL)
#endif
