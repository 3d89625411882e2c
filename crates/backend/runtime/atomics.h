// Atomic updates of memory that several tasks write to (multicore only). After scalar.h and convert.h, before
// context.h.

#include <sched.h>

// Integers by which elements of any type may be accessed.
typedef uint8_t __attribute__((may_alias)) fe_any8;
typedef uint16_t __attribute__((may_alias)) fe_any16;
typedef uint32_t __attribute__((may_alias)) fe_any32;
typedef uint64_t __attribute__((may_alias)) fe_any64;

// fe_atomic_OP_TYPE(p, x): *p becomes OP(*p, x) in one step. No order with other accesses is implied: the end of the
// parallel operation is where results are read. BITS is an unsigned integer of the size of the type, by which
// the element is compared and exchanged.
#define FE_ATOMIC(OP, NAME, TYPE, BITS)                                                               \
  static inline void fe_atomic_##OP##_##NAME(TYPE *p, TYPE x)                                          \
  {                                                                                                    \
    BITS old, new_bits;                                                                                \
    __atomic_load((BITS *)(void *)p, &old, __ATOMIC_RELAXED);                                          \
    do {                                                                                               \
      TYPE value;                                                                                      \
      memcpy(&value, &old, sizeof(value));                                                             \
      value = FE_UPDATE_##OP(NAME, value, x);                                                          \
      memcpy(&new_bits, &value, sizeof(value));                                                        \
    } while (!__atomic_compare_exchange((BITS *)(void *)p, &old, &new_bits, true, __ATOMIC_RELAXED,    \
                                        __ATOMIC_RELAXED));                                            \
  }

// The same for what processors have instructions for.
#define FE_FETCH(OP, NAME, TYPE, BITS)                                                                \
  static inline void fe_atomic_##OP##_##NAME(TYPE *p, TYPE x)                                          \
  {                                                                                                    \
    __atomic_fetch_##OP((BITS *)(void *)p, (BITS)x, __ATOMIC_RELAXED);                                 \
  }

#define FE_UPDATE_add(NAME, a, b) fe_add_##NAME(a, b)
#define FE_UPDATE_mul(NAME, a, b) fe_mul_##NAME(a, b)
#define FE_UPDATE_min(NAME, a, b) fe_min_##NAME(a, b)
#define FE_UPDATE_max(NAME, a, b) fe_max_##NAME(a, b)
#define FE_UPDATE_and(NAME, a, b) ((a) && (b))
#define FE_UPDATE_or(NAME, a, b) ((a) || (b))
#define FE_UPDATE_xor(NAME, a, b) ((a) != (b))

#define FE_ATOMIC_NUMBER(NAME, TYPE, BITS) \
  FE_ATOMIC(mul, NAME, TYPE, BITS)         \
  FE_ATOMIC(min, NAME, TYPE, BITS)         \
  FE_ATOMIC(max, NAME, TYPE, BITS)

#define FE_ATOMIC_INTEGER(NAME, TYPE, BITS) \
  FE_ATOMIC_NUMBER(NAME, TYPE, BITS)        \
  FE_FETCH(add, NAME, TYPE, BITS)           \
  FE_FETCH(and, NAME, TYPE, BITS)           \
  FE_FETCH(or, NAME, TYPE, BITS)            \
  FE_FETCH(xor, NAME, TYPE, BITS)

#define FE_ATOMIC_FLOAT(NAME, TYPE, BITS) \
  FE_ATOMIC_NUMBER(NAME, TYPE, BITS)      \
  FE_ATOMIC(add, NAME, TYPE, BITS)

FE_ATOMIC_INTEGER(i8, int8_t, fe_any8)
FE_ATOMIC_INTEGER(i16, int16_t, fe_any16)
FE_ATOMIC_INTEGER(i32, int32_t, fe_any32)
FE_ATOMIC_INTEGER(i64, int64_t, fe_any64)
FE_ATOMIC_INTEGER(u8, uint8_t, fe_any8)
FE_ATOMIC_INTEGER(u16, uint16_t, fe_any16)
FE_ATOMIC_INTEGER(u32, uint32_t, fe_any32)
FE_ATOMIC_INTEGER(u64, uint64_t, fe_any64)
FE_ATOMIC_FLOAT(f16, FE_F16, fe_any16)
FE_ATOMIC_FLOAT(f32, float, fe_any32)
FE_ATOMIC_FLOAT(f64, double, fe_any64)
FE_ATOMIC(and, bool, bool, fe_any8)
FE_ATOMIC(or, bool, bool, fe_any8)
FE_ATOMIC(xor, bool, bool, fe_any8)

#undef FE_ATOMIC
#undef FE_FETCH
#undef FE_UPDATE_add
#undef FE_UPDATE_mul
#undef FE_UPDATE_min
#undef FE_UPDATE_max
#undef FE_UPDATE_and
#undef FE_UPDATE_or
#undef FE_UPDATE_xor
#undef FE_ATOMIC_NUMBER
#undef FE_ATOMIC_INTEGER
#undef FE_ATOMIC_FLOAT

// Locks for updates of several elements at once. The context has one `struct fe_locks locks`, all zero at first.
// They are held for a few instructions, so waiting is done by looking again.
#define FE_LOCKS 4096

struct fe_locks {
  unsigned char held[FE_LOCKS];
};

static inline void fe_lock(struct fe_locks *locks, int64_t number) {
  unsigned char *lock = &locks->held[(uint64_t)number % FE_LOCKS];
  int looks = 0;
  while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
    while (__atomic_load_n(lock, __ATOMIC_RELAXED) != 0) {
      if (++looks == 1000) {
        // The holder may be waiting for this core.
        looks = 0;
        sched_yield();
      }
    }
  }
}

static inline void fe_unlock(struct fe_locks *locks, int64_t number) {
  __atomic_store_n(&locks->held[(uint64_t)number % FE_LOCKS], 0, __ATOMIC_RELEASE);
}
