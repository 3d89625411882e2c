// What the functions of the program use besides operators, memory and the scheduler. After memory.h.

// Before a loop whose iterations touch different memory, so that it may be vectorised.
#if defined(__clang__)
#define FE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define FE_INDEPENDENT _Pragma("GCC ivdep")
#else
#define FE_INDEPENDENT
#endif

// Before a loop of at most 16 iterations inside of one that is executed by vectors, which there are only if it is unrolled. (Until then, gcc
// leaves loops alone of which more than 200 instructions would come.)
#if defined(__clang__)
#define FE_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define FE_UNROLL _Pragma("GCC unroll 16")
#else
#define FE_UNROLL
#endif

// In a loop of a few iterations, which is not worth vectors. (gcc has a pragma for that from version 14 on.) There are no instructions for it.
#if defined(__GNUC__)
#define FE_FEW __asm__ volatile("");
#else
#define FE_FEW
#endif

// `to` becomes what `from` is, and `from` is empty.
static inline void fe_move(struct futhark_context *ctx, struct fe_mem *to, struct fe_mem *from) {
  fe_free(ctx, to);
  *to = *from;
  *from = (struct fe_mem){0};
}

// `to` becomes a handle of a block that outlives it, without being counted.
static inline void fe_borrow(struct futhark_context *ctx, struct fe_mem *to, const struct fe_mem *from) {
  fe_free(ctx, to);
  to->data = from->data;
  to->block = NULL;
}

// Copies `count` elements, perhaps none, in which case the addresses need not be any.
static inline void fe_copy(void *to, const void *from, int64_t count, size_t size) {
  if (count > 0) {
    memcpy(to, from, (size_t)count * size);
  }
}

// A number as error messages show it with "%f": there is only one NaN.
static inline double fe_shown(double x) {
  return x == x ? x : (double)NAN;
}
