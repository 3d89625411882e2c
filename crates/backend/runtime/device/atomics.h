// Atomic updates of memory that several threads write to, as in atomics.h on the host, for global and for shared
// memory. They are relaxed: they imply no order with respect to other accesses.
//
// fe_atomic_OP_TYPE(p, x): *p atomically becomes OP(*p, x). Uses the device's instruction if there is one; otherwise a
// compare-and-exchange loop on the word that contains the element.
// fe_atomic_cas_TYPE(p, expected, wanted), fe_atomic_exchange_TYPE(p, wanted): return the previous value.
// fe_volatile_load_TYPE(p): reads from memory, regardless of what this thread has cached.

#define FE_UPDATE_add(NAME, a, b) fe_add_##NAME(a, b)
#define FE_UPDATE_mul(NAME, a, b) fe_mul_##NAME(a, b)
#define FE_UPDATE_min(NAME, a, b) fe_min_##NAME(a, b)
#define FE_UPDATE_max(NAME, a, b) fe_max_##NAME(a, b)
#define FE_UPDATE_and(NAME, a, b) fe_and_##NAME(a, b)
#define FE_UPDATE_or(NAME, a, b) fe_or_##NAME(a, b)
#define FE_UPDATE_xor(NAME, a, b) fe_xor_##NAME(a, b)
#define FE_UPDATE_exchange(NAME, a, b) (b)

// An element that is a word of 32 or 64 bits. FROM and TO convert it to its bits and back.
#define FE_ATOMIC_WHOLE(SPACE, FUNCTION, UPDATE, NAME, TYPE, WORD, BITS, FROM, TO)                     \
  FE_OVERLOADED TYPE FUNCTION(SPACE TYPE *p, TYPE x) {                                                  \
    SPACE WORD *word = (SPACE WORD *)p;                                                                 \
    WORD old = *(volatile SPACE WORD *)word, found;                                                     \
    for (;;) {                                                                                          \
      found = fe_cas_##BITS(word, old, FROM(UPDATE(NAME, TO(old), x)));                                 \
      if (found == old) return TO(old);                                                                 \
      old = found;                                                                                      \
    }                                                                                                   \
  }

// An element that is a part of a word.
#define FE_ATOMIC_PART(SPACE, FUNCTION, UPDATE, NAME, TYPE, MASK, FROM, TO)                             \
  FE_OVERLOADED TYPE FUNCTION(SPACE TYPE *p, TYPE x) {                                                  \
    SPACE uint32_t *word = FE_WORD_OF(SPACE, p);                                                        \
    const uint32_t shift = FE_SHIFT_OF(p);                                                              \
    uint32_t old = *(volatile SPACE uint32_t *)word;                                                    \
    for (;;) {                                                                                          \
      const TYPE value = TO((old >> shift) & MASK);                                                     \
      const uint32_t updated = (uint32_t)FROM(UPDATE(NAME, value, x)) & MASK;                           \
      const uint32_t found = fe_cas_32(word, old, (old & ~((uint32_t)MASK << shift)) | (updated << shift)); \
      if (found == old) return value;                                                                   \
      old = found;                                                                                      \
    }                                                                                                   \
  }

#define FE_AS_U8(a) ((uint8_t)(a))
#define FE_AS_U16(a) ((uint16_t)(a))
#define FE_AS_U32(a) ((uint32_t)(a))
#define FE_AS_U64(a) ((uint64_t)(a))
#define FE_AS_I8(a) ((int8_t)(a))
#define FE_AS_I16(a) ((int16_t)(a))
#define FE_AS_I32(a) ((int32_t)(a))
#define FE_AS_I64(a) ((int64_t)(a))
#define FE_AS_BOOL(a) ((a) != 0)

// Names of operators are pasted at once: implementations of OpenCL have macros of such names.
#define FE_ATOMIC_I8(OP, SPACE) \
  FE_ATOMIC_PART(SPACE, fe_atomic_##OP##_i8, FE_UPDATE_##OP, i8, int8_t, 0xffu, FE_AS_U8, FE_AS_I8)
#define FE_ATOMIC_U8(OP, SPACE) \
  FE_ATOMIC_PART(SPACE, fe_atomic_##OP##_u8, FE_UPDATE_##OP, u8, uint8_t, 0xffu, FE_AS_U8, FE_AS_U8)
#define FE_ATOMIC_I16(OP, SPACE) \
  FE_ATOMIC_PART(SPACE, fe_atomic_##OP##_i16, FE_UPDATE_##OP, i16, int16_t, 0xffffu, FE_AS_U16, FE_AS_I16)
#define FE_ATOMIC_U16(OP, SPACE) \
  FE_ATOMIC_PART(SPACE, fe_atomic_##OP##_u16, FE_UPDATE_##OP, u16, uint16_t, 0xffffu, FE_AS_U16, FE_AS_U16)
#define FE_ATOMIC_BOOL(OP, SPACE) \
  FE_ATOMIC_PART(SPACE, fe_atomic_##OP##_bool, FE_UPDATE_##OP, bool, bool, 0xffu, FE_AS_U8, FE_AS_BOOL)
#define FE_ATOMIC_I32(OP, SPACE) \
  FE_ATOMIC_WHOLE(SPACE, fe_atomic_##OP##_i32, FE_UPDATE_##OP, i32, int32_t, uint32_t, 32, FE_AS_U32, FE_AS_I32)
#define FE_ATOMIC_U32(OP, SPACE) \
  FE_ATOMIC_WHOLE(SPACE, fe_atomic_##OP##_u32, FE_UPDATE_##OP, u32, uint32_t, uint32_t, 32, FE_AS_U32, FE_AS_U32)
#define FE_ATOMIC_F32(OP, SPACE) \
  FE_ATOMIC_WHOLE(SPACE, fe_atomic_##OP##_f32, FE_UPDATE_##OP, f32, float, uint32_t, 32, fe_bits_f32_u32, fe_bits_u32_f32)
#define FE_ATOMIC_I64(OP, SPACE) \
  FE_ATOMIC_WHOLE(SPACE, fe_atomic_##OP##_i64, FE_UPDATE_##OP, i64, int64_t, uint64_t, 64, FE_AS_U64, FE_AS_I64)
#define FE_ATOMIC_U64(OP, SPACE) \
  FE_ATOMIC_WHOLE(SPACE, fe_atomic_##OP##_u64, FE_UPDATE_##OP, u64, uint64_t, uint64_t, 64, FE_AS_U64, FE_AS_U64)
#define FE_ATOMIC_F64(OP, SPACE) \
  FE_ATOMIC_WHOLE(SPACE, fe_atomic_##OP##_f64, FE_UPDATE_##OP, f64, double, uint64_t, 64, fe_bits_f64_u64, fe_bits_u64_f64)

// FE_F16 is uint16_t, so a type of its own in the name only.
#define FE_ATOMIC_F16(OP, SPACE) \
  FE_ATOMIC_PART(SPACE, fe_atomic_##OP##_f16, FE_UPDATE_##OP, f16, FE_F16, 0xffffu, FE_AS_U16, FE_AS_U16)

// What every device has to do by exchanging.
#define FE_ATOMICS_SMALL(SPACE)                                                                         \
  FE_ATOMIC_I8(add, SPACE) FE_ATOMIC_I8(mul, SPACE) FE_ATOMIC_I8(min, SPACE) FE_ATOMIC_I8(max, SPACE)   \
  FE_ATOMIC_I8(and, SPACE) FE_ATOMIC_I8(or, SPACE) FE_ATOMIC_I8(xor, SPACE)                             \
  FE_ATOMIC_U8(add, SPACE) FE_ATOMIC_U8(mul, SPACE) FE_ATOMIC_U8(min, SPACE) FE_ATOMIC_U8(max, SPACE)   \
  FE_ATOMIC_U8(and, SPACE) FE_ATOMIC_U8(or, SPACE) FE_ATOMIC_U8(xor, SPACE)                             \
  FE_ATOMIC_I16(add, SPACE) FE_ATOMIC_I16(mul, SPACE) FE_ATOMIC_I16(min, SPACE) FE_ATOMIC_I16(max, SPACE) \
  FE_ATOMIC_I16(and, SPACE) FE_ATOMIC_I16(or, SPACE) FE_ATOMIC_I16(xor, SPACE)                          \
  FE_ATOMIC_U16(add, SPACE) FE_ATOMIC_U16(mul, SPACE) FE_ATOMIC_U16(min, SPACE) FE_ATOMIC_U16(max, SPACE) \
  FE_ATOMIC_U16(and, SPACE) FE_ATOMIC_U16(or, SPACE) FE_ATOMIC_U16(xor, SPACE)                          \
  FE_ATOMIC_F16(add, SPACE) FE_ATOMIC_F16(mul, SPACE) FE_ATOMIC_F16(min, SPACE) FE_ATOMIC_F16(max, SPACE) \
  FE_ATOMIC_BOOL(and, SPACE) FE_ATOMIC_BOOL(or, SPACE) FE_ATOMIC_BOOL(xor, SPACE)                       \
  FE_ATOMIC_I8(exchange, SPACE) FE_ATOMIC_U8(exchange, SPACE) FE_ATOMIC_I16(exchange, SPACE)            \
  FE_ATOMIC_U16(exchange, SPACE) FE_ATOMIC_F16(exchange, SPACE) FE_ATOMIC_BOOL(exchange, SPACE)
FE_EACH_SPACE(FE_ATOMICS_SMALL)

#define FE_ATOMICS_32(SPACE)                                                                            \
  FE_ATOMIC_I32(mul, SPACE) FE_ATOMIC_U32(mul, SPACE)                                                   \
  FE_ATOMIC_F32(mul, SPACE) FE_ATOMIC_F32(min, SPACE) FE_ATOMIC_F32(max, SPACE)                         \
  FE_OVERLOADED int32_t fe_atomic_cas_i32(SPACE int32_t *p, int32_t expected, int32_t wanted) {         \
    return (int32_t)fe_cas_32((SPACE uint32_t *)p, (uint32_t)expected, (uint32_t)wanted);               \
  }                                                                                                     \
  FE_OVERLOADED int32_t fe_atomic_exchange_i32(SPACE int32_t *p, int32_t wanted) {                      \
    return (int32_t)fe_swap_32((SPACE uint32_t *)p, (uint32_t)wanted);                                  \
  }                                                                                                     \
  FE_OVERLOADED uint32_t fe_atomic_exchange_u32(SPACE uint32_t *p, uint32_t wanted) {                   \
    return fe_swap_32(p, wanted);                                                                       \
  }                                                                                                     \
  FE_OVERLOADED float fe_atomic_exchange_f32(SPACE float *p, float wanted) {                            \
    return fe_bits_u32_f32(fe_swap_32((SPACE uint32_t *)p, fe_bits_f32_u32(wanted)));                   \
  }
FE_EACH_SPACE(FE_ATOMICS_32)

#ifndef FE_NO_ATOMICS_64
#define FE_ATOMICS_64(SPACE)                                                                            \
  FE_ATOMIC_I64(mul, SPACE) FE_ATOMIC_U64(mul, SPACE)                                                   \
  FE_ATOMIC_F64(mul, SPACE) FE_ATOMIC_F64(min, SPACE) FE_ATOMIC_F64(max, SPACE)                         \
  FE_OVERLOADED int64_t fe_atomic_cas_i64(SPACE int64_t *p, int64_t expected, int64_t wanted) {         \
    return (int64_t)fe_cas_64((SPACE uint64_t *)p, (uint64_t)expected, (uint64_t)wanted);               \
  }                                                                                                     \
  FE_OVERLOADED int64_t fe_atomic_exchange_i64(SPACE int64_t *p, int64_t wanted) {                      \
    return (int64_t)fe_swap_64((SPACE uint64_t *)p, (uint64_t)wanted);                                  \
  }                                                                                                     \
  FE_OVERLOADED uint64_t fe_atomic_exchange_u64(SPACE uint64_t *p, uint64_t wanted) {                   \
    return fe_swap_64(p, wanted);                                                                       \
  }                                                                                                     \
  FE_OVERLOADED double fe_atomic_exchange_f64(SPACE double *p, double wanted) {                         \
    return fe_bits_u64_f64(fe_swap_64((SPACE uint64_t *)p, fe_bits_f64_u64(wanted)));                   \
  }
FE_EACH_SPACE(FE_ATOMICS_64)
#endif

// Reading what others may have written.
#define FE_VOLATILE(SPACE, NAME, TYPE)                                                                  \
  FE_OVERLOADED TYPE fe_volatile_load_##NAME(const SPACE TYPE *p) { return *(const volatile SPACE TYPE *)p; }
#define FE_VOLATILES(SPACE)                                                                             \
  FE_VOLATILE(SPACE, i8, int8_t) FE_VOLATILE(SPACE, i16, int16_t) FE_VOLATILE(SPACE, i32, int32_t)      \
  FE_VOLATILE(SPACE, i64, int64_t) FE_VOLATILE(SPACE, u8, uint8_t) FE_VOLATILE(SPACE, u16, uint16_t)    \
  FE_VOLATILE(SPACE, u32, uint32_t) FE_VOLATILE(SPACE, u64, uint64_t) FE_VOLATILE(SPACE, f16, FE_F16)   \
  FE_VOLATILE(SPACE, f32, float) FE_VOLATILE(SPACE, f64, double) FE_VOLATILE(SPACE, bool, bool)
FE_EACH_SPACE(FE_VOLATILES)
