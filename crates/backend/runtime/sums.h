// Prefix sums: fe_sums_TYPE(v, count, sum) replaces each element of v by the sum of "sum" and all elements up to it,
// and returns the last. The elements occupy a multiple of 64 bytes. After scalar.h.

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

// The elements a number of places further on; negative zeros come in, which change no number, not even another zero.
#define FE_SUMS_STEP(distance)                                                                            \
  if ((distance) < lanes) x += __builtin_shuffle(zero, x, numbers + (lanes - (distance)));

// T: elements, as they are added (a sum of signed integers may wrap around only as one of unsigned ones); I: integers of their size.
#define FE_SUMS(N, ELEMENT, T, I, BYTES)                                                                  \
  FE_UNUSED static inline ELEMENT fe_sums_##N(ELEMENT *v, int count, ELEMENT sum) {                       \
    typedef T vector __attribute__((vector_size(FE_VECTOR_BYTES)));                                       \
    typedef I places __attribute__((vector_size(FE_VECTOR_BYTES)));                                       \
    enum { lanes = FE_VECTOR_BYTES / BYTES };                                                             \
    const places numbers = FE_NUMBERS_##BYTES;                                                            \
    const vector zero = -(vector){0};                                                                     \
    T before = (T)sum;                                                                                    \
    for (int i = 0; i < count; i += lanes) {                                                              \
      vector x;                                                                                           \
      memcpy(&x, v + i, sizeof x);                                                                        \
      FE_SUMS_STEP(1)                                                                                     \
      FE_SUMS_STEP(2)                                                                                     \
      FE_SUMS_STEP(4)                                                                                     \
      FE_SUMS_STEP(8)                                                                                     \
      /* The sum of all is what the next vector waits for. */                                             \
      const vector sums = x + before;                                                                     \
      memcpy(v + i, &sums, sizeof sums);                                                                  \
      before += x[lanes - 1];                                                                             \
    }                                                                                                     \
    return (ELEMENT)before;                                                                               \
  }

#else

#define FE_SUMS(N, ELEMENT, T, I, BYTES)                                                                  \
  FE_UNUSED static inline ELEMENT fe_sums_##N(ELEMENT *v, int count, ELEMENT sum) {                       \
    for (int i = 0; i < count; i++) {                                                                     \
      v[i] = sum = (ELEMENT)((T)sum + (T)v[i]);                                                           \
    }                                                                                                     \
    return sum;                                                                                           \
  }

#endif

FE_SUMS(f32, float, float, int32_t, 4)
FE_SUMS(f64, double, double, int64_t, 8)
FE_SUMS(i32, int32_t, uint32_t, int32_t, 4)
FE_SUMS(u32, uint32_t, uint32_t, int32_t, 4)
FE_SUMS(i64, int64_t, uint64_t, int64_t, 8)
FE_SUMS(u64, uint64_t, uint64_t, int64_t, 8)
