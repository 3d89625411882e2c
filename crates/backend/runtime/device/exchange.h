// Compare-and-exchange for any scalar, and locks for blocks in shared memory. After atomics.h.
//
// fe_same_TYPE(a, b): whether the bits are the same.
// fe_atomic_cas_TYPE(p, expected, wanted): stores `wanted` in *p if *p has the expected bits; returns the previous
// value.
// fe_try_guard(p), fe_unguard(p): the first sets *p to 1 if it is 0, and returns whether it was; the second sets it to
// 0 again. Writes in between are visible to the next thread of the block that succeeds.

#define FE_SAME(NAME, TYPE, FROM) \
  FE_DEVICE bool fe_same_##NAME(TYPE a, TYPE b) { return FROM(a) == FROM(b); }
FE_SAME(i8, int8_t, FE_AS_U8)
FE_SAME(i16, int16_t, FE_AS_U16)
FE_SAME(i32, int32_t, FE_AS_U32)
FE_SAME(i64, int64_t, FE_AS_U64)
FE_SAME(u8, uint8_t, FE_AS_U8)
FE_SAME(u16, uint16_t, FE_AS_U16)
FE_SAME(u32, uint32_t, FE_AS_U32)
FE_SAME(u64, uint64_t, FE_AS_U64)
FE_SAME(f16, FE_F16, FE_AS_U16)
FE_SAME(f32, float, fe_bits_f32_u32)
FE_SAME(f64, double, fe_bits_f64_u64)
FE_SAME(bool, bool, FE_AS_U8)

// An element that is a part of a word: what is beside it may change any time.
#define FE_CAS_PART(SPACE, NAME, TYPE, MASK, FROM, TO)                                                  \
  FE_OVERLOADED TYPE fe_atomic_cas_##NAME(SPACE TYPE *p, TYPE expected, TYPE wanted) {                  \
    SPACE uint32_t *word = FE_WORD_OF(SPACE, p);                                                        \
    const uint32_t shift = FE_SHIFT_OF(p);                                                              \
    uint32_t old = *(volatile SPACE uint32_t *)word;                                                    \
    for (;;) {                                                                                          \
      const uint32_t part = (old >> shift) & MASK;                                                      \
      if (part != (uint32_t)FROM(expected)) return TO(part);                                            \
      const uint32_t rest = old & ~((uint32_t)MASK << shift);                                           \
      const uint32_t found = fe_cas_32(word, old, rest | ((uint32_t)FROM(wanted) << shift));            \
      if (found == old) return expected;                                                                \
      old = found;                                                                                      \
    }                                                                                                   \
  }

#define FE_EXCHANGES_OF_PARTS(SPACE)                                                                    \
  FE_CAS_PART(SPACE, i8, int8_t, 0xffu, FE_AS_U8, FE_AS_I8)                                             \
  FE_CAS_PART(SPACE, u8, uint8_t, 0xffu, FE_AS_U8, FE_AS_U8)                                            \
  FE_CAS_PART(SPACE, i16, int16_t, 0xffffu, FE_AS_U16, FE_AS_I16)                                       \
  FE_CAS_PART(SPACE, u16, uint16_t, 0xffffu, FE_AS_U16, FE_AS_U16)                                      \
  FE_CAS_PART(SPACE, f16, FE_F16, 0xffffu, FE_AS_U16, FE_AS_U16)                                        \
  FE_CAS_PART(SPACE, bool, bool, 0xffu, FE_AS_U8, FE_AS_BOOL)
FE_EACH_SPACE(FE_EXCHANGES_OF_PARTS)

#define FE_EXCHANGES_OF_WORDS(SPACE)                                                                    \
  FE_OVERLOADED uint32_t fe_atomic_cas_u32(SPACE uint32_t *p, uint32_t expected, uint32_t wanted) {     \
    return fe_cas_32(p, expected, wanted);                                                              \
  }                                                                                                     \
  FE_OVERLOADED float fe_atomic_cas_f32(SPACE float *p, float expected, float wanted) {                 \
    return fe_bits_u32_f32(fe_cas_32((SPACE uint32_t *)p, fe_bits_f32_u32(expected), fe_bits_f32_u32(wanted))); \
  }                                                                                                     \
  FE_OVERLOADED bool fe_try_guard(SPACE int32_t *p) {                                                   \
    const bool is_free = fe_cas_32((SPACE uint32_t *)p, 0, 1) == 0;                                     \
    FE_BLOCK_FENCE();                                                                                   \
    return is_free;                                                                                     \
  }                                                                                                     \
  FE_OVERLOADED void fe_unguard(SPACE int32_t *p) {                                                     \
    FE_BLOCK_FENCE();                                                                                   \
    fe_swap_32((SPACE uint32_t *)p, 0);                                                                 \
  }
FE_EACH_SPACE(FE_EXCHANGES_OF_WORDS)

#ifndef FE_NO_ATOMICS_64
#define FE_EXCHANGES_OF_PAIRS(SPACE)                                                                    \
  FE_OVERLOADED uint64_t fe_atomic_cas_u64(SPACE uint64_t *p, uint64_t expected, uint64_t wanted) {     \
    return fe_cas_64(p, expected, wanted);                                                              \
  }                                                                                                     \
  FE_OVERLOADED double fe_atomic_cas_f64(SPACE double *p, double expected, double wanted) {             \
    return fe_bits_u64_f64(fe_cas_64((SPACE uint64_t *)p, fe_bits_f64_u64(expected), fe_bits_f64_u64(wanted))); \
  }
FE_EACH_SPACE(FE_EXCHANGES_OF_PAIRS)
#endif
