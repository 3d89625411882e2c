// Atomic updates for which OpenCL has functions: those of 32 bits. After atomics.h, which has the others.

#define FE_ATOMIC_NATIVE(SPACE, OP, NAME, TYPE, CALL)                                                   \
  FE_OVERLOADED TYPE fe_atomic_##OP##_##NAME(SPACE TYPE *p, TYPE x) { return CALL((volatile SPACE TYPE *)p, x); }

#define FE_ATOMICS_NATIVE(SPACE)                                                                        \
  FE_ATOMIC_NATIVE(SPACE, add, i32, int32_t, atomic_add)                                                \
  FE_ATOMIC_NATIVE(SPACE, add, u32, uint32_t, atomic_add)                                               \
  FE_ATOMIC_NATIVE(SPACE, min, i32, int32_t, atomic_min)                                                \
  FE_ATOMIC_NATIVE(SPACE, min, u32, uint32_t, atomic_min)                                               \
  FE_ATOMIC_NATIVE(SPACE, max, i32, int32_t, atomic_max)                                                \
  FE_ATOMIC_NATIVE(SPACE, max, u32, uint32_t, atomic_max)                                               \
  FE_ATOMIC_NATIVE(SPACE, and, i32, int32_t, atomic_and)                                                \
  FE_ATOMIC_NATIVE(SPACE, and, u32, uint32_t, atomic_and)                                               \
  FE_ATOMIC_NATIVE(SPACE, or, i32, int32_t, atomic_or)                                                  \
  FE_ATOMIC_NATIVE(SPACE, or, u32, uint32_t, atomic_or)                                                 \
  FE_ATOMIC_NATIVE(SPACE, xor, i32, int32_t, atomic_xor)                                                \
  FE_ATOMIC_NATIVE(SPACE, xor, u32, uint32_t, atomic_xor)                                               \
  FE_ATOMIC_F32(add, SPACE)
FE_EACH_SPACE(FE_ATOMICS_NATIVE)

#ifndef FE_NO_ATOMICS_64
#define FE_ATOMICS_BY_EXCHANGE(SPACE)                                                                   \
  FE_ATOMIC_I64(add, SPACE) FE_ATOMIC_I64(min, SPACE) FE_ATOMIC_I64(max, SPACE)                         \
  FE_ATOMIC_I64(and, SPACE) FE_ATOMIC_I64(or, SPACE) FE_ATOMIC_I64(xor, SPACE)                          \
  FE_ATOMIC_U64(add, SPACE) FE_ATOMIC_U64(min, SPACE) FE_ATOMIC_U64(max, SPACE)                         \
  FE_ATOMIC_U64(and, SPACE) FE_ATOMIC_U64(or, SPACE) FE_ATOMIC_U64(xor, SPACE)                          \
  FE_ATOMIC_F64(add, SPACE)
FE_EACH_SPACE(FE_ATOMICS_BY_EXCHANGE)
#endif
