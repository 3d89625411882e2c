// Prefix sums: fe_prefixes_OP_TYPE(v, count, sum) replaces each element of v by the sum (or the minimum, or maximum) of "sum" and all elements
// up to it, and returns the last. The elements occupy a multiple of 64 bytes. After scalar.h.

// T: elements, as they are combined (a sum of signed integers may wrap around only as one of unsigned ones); I: integers of their size.
// IN: the vector x, each element replaced by that some places before it; where there is none, by one that changes nothing. OP: two vectors
// combined, the earlier one first; FIRST: whether the earlier one of two is the minimum or maximum.

#if defined(__GNUC__) && !defined(__clang__)

// As many bytes as elements can be moved around in at once.
#if defined(__AVX512F__)
#define FE_VECTOR_BYTES 64
#define FE_NUMBERS_4 {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define FE_NUMBERS_8 {0, 1, 2, 3, 4, 5, 6, 7}
#elif defined(__AVX2__)
#define FE_VECTOR_BYTES 32
#define FE_NUMBERS_4 {0, 1, 2, 3, 4, 5, 6, 7}
#define FE_NUMBERS_8 {0, 1, 2, 3}
#else
#define FE_VECTOR_BYTES 16
#define FE_NUMBERS_4 {0, 1, 2, 3}
#define FE_NUMBERS_8 {0, 1}
#endif

// In front of a sum are negative zeros, which change no number, not even another zero; in front of a minimum is the first element, which it
// has seen anyway.
#define FE_IN_SUM(distance) __builtin_shuffle(-(vector){0}, x, numbers + (lanes - (distance)))
#define FE_IN_EXTREME(distance) __builtin_shuffle(x, (numbers - (distance)) & (numbers >= (distance)))
#define FE_OP_SUM(FIRST, a, b) ((a) + (b))
#define FE_OP_EXTREME(FIRST, a, b) (vector)(((places)(a) & FIRST(a, b)) | ((places)(b) & ~FIRST(a, b)))
#define FE_PREFIX_STEP(IN, OP, FIRST, distance)                                                           \
  if ((distance) < lanes) {                                                                               \
    const vector shifted = IN(distance);                                                                  \
    x = OP(FIRST, shifted, x);                                                                            \
  }

#define FE_PREFIXES(NAME, ELEMENT, T, I, BYTES, IN, OP, FIRST, ALONE)                                     \
  FE_UNUSED static inline ELEMENT fe_prefixes_##NAME(ELEMENT *v, int count, ELEMENT sum) {                \
    typedef T vector __attribute__((vector_size(FE_VECTOR_BYTES)));                                       \
    typedef I places __attribute__((vector_size(FE_VECTOR_BYTES)));                                       \
    enum { lanes = FE_VECTOR_BYTES / BYTES };                                                             \
    const places numbers = FE_NUMBERS_##BYTES;                                                            \
    T before = (T)sum;                                                                                    \
    for (int i = 0; i < count; i += lanes) {                                                              \
      vector x;                                                                                           \
      memcpy(&x, v + i, sizeof x);                                                                        \
      FE_PREFIX_STEP(IN, OP, FIRST, 1)                                                                    \
      FE_PREFIX_STEP(IN, OP, FIRST, 2)                                                                    \
      FE_PREFIX_STEP(IN, OP, FIRST, 4)                                                                    \
      FE_PREFIX_STEP(IN, OP, FIRST, 8)                                                                    \
      /* The sum of all is what the next vector waits for. */                                             \
      const vector all = before - (vector){0}, sums = OP(FIRST, all, x);                                  \
      memcpy(v + i, &sums, sizeof sums);                                                                  \
      before = ALONE(before, x[lanes - 1]);                                                               \
    }                                                                                                     \
    return (ELEMENT)before;                                                                               \
  }

#else

#define FE_PREFIXES(NAME, ELEMENT, T, I, BYTES, IN, OP, FIRST, ALONE)                                     \
  FE_UNUSED static inline ELEMENT fe_prefixes_##NAME(ELEMENT *v, int count, ELEMENT sum) {                \
    for (int i = 0; i < count; i++) {                                                                     \
      v[i] = sum = (ELEMENT)ALONE((T)sum, (T)v[i]);                                                       \
    }                                                                                                     \
    return sum;                                                                                           \
  }

#endif

// As in scalar.h, for numbers and for vectors.
#define FE_LESS_INT(a, b) ((a) < (b))
#define FE_MORE_INT(a, b) ((a) > (b))
#define FE_LESS_FLOAT(a, b) FE_FIRST((a) < (b), (b) != (b), ((a) == (b)) & ((places)(a) < 0))
#define FE_MORE_FLOAT(a, b) FE_FIRST((a) > (b), (b) != (b), ((a) == (b)) & ((places)(b) < 0))
#define FE_PLUS(a, b) ((a) + (b))

#define FE_PREFIXES_OF(N, ELEMENT, T, I, BYTES, KIND)                                                     \
  FE_PREFIXES(add_##N, ELEMENT, T, I, BYTES, FE_IN_SUM, FE_OP_SUM, FE_NONE, FE_PLUS)                      \
  FE_PREFIXES(min_##N, ELEMENT, ELEMENT, I, BYTES, FE_IN_EXTREME, FE_OP_EXTREME, FE_LESS_##KIND, fe_min_##N)\
  FE_PREFIXES(max_##N, ELEMENT, ELEMENT, I, BYTES, FE_IN_EXTREME, FE_OP_EXTREME, FE_MORE_##KIND, fe_max_##N)

FE_PREFIXES_OF(f32, float, float, int32_t, 4, FLOAT)
FE_PREFIXES_OF(f64, double, double, int64_t, 8, FLOAT)
FE_PREFIXES_OF(i32, int32_t, uint32_t, int32_t, 4, INT)
FE_PREFIXES_OF(u32, uint32_t, uint32_t, int32_t, 4, INT)
FE_PREFIXES_OF(i64, int64_t, uint64_t, int64_t, 8, INT)
FE_PREFIXES_OF(u64, uint64_t, uint64_t, int64_t, 8, INT)
