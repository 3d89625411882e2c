// The queue of ranges that a worker has split off and that others may steal: the deque of Chase and Lev, of fixed size.
// Its owner pushes and pops at the bottom; thieves take from the top, where the oldest and largest ranges are.
//
// Ranges are stored by value. A thief may read a slot that is being overwritten, but then `top` has moved on and its
// compare-and-exchange fails. All operations that must be ordered are sequentially consistent (there are no fences,
// which the thread sanitizer does not understand); an operation happens only once every few microseconds.

#if defined(FE_MULTICORE) && defined(FE_THREADS)

struct fe_region;

// Iterations of a parallel operation.
struct fe_range {
  struct fe_region *region;
  int64_t lo, hi;
  // The depth of the region, here because the region may be gone when a thief looks.
  int depth;
};

// A worker has at most three ranges for each level of nesting, so this is plenty; when it is full, nothing is split.
#define FE_DEQUE_SIZE 128

struct fe_deque_slot {
  _Atomic(struct fe_region *) region;
  _Atomic int64_t lo, hi;
  atomic_int depth;
};

struct fe_deque {
  _Atomic int64_t top;
  char pad[64 - sizeof(int64_t)];
  _Atomic int64_t bottom;
  struct fe_deque_slot slots[FE_DEQUE_SIZE];
};

static inline struct fe_deque_slot *fe_deque_slot(struct fe_deque *deque, int64_t index) {
  return &deque->slots[index & (FE_DEQUE_SIZE - 1)];
}

static inline struct fe_range fe_deque_read(struct fe_deque_slot *slot) {
  struct fe_range range;
  range.region = atomic_load_explicit(&slot->region, memory_order_relaxed);
  range.lo = atomic_load_explicit(&slot->lo, memory_order_relaxed);
  range.hi = atomic_load_explicit(&slot->hi, memory_order_relaxed);
  range.depth = atomic_load_explicit(&slot->depth, memory_order_relaxed);
  return range;
}

// Where the next range will be pushed. Owner only.
static inline int64_t fe_deque_mark(struct fe_deque *deque) {
  return atomic_load_explicit(&deque->bottom, memory_order_relaxed);
}

// How many ranges there are at and above a mark. Exact for the owner, except for what is stolen meanwhile.
static inline int64_t fe_deque_count(struct fe_deque *deque, int64_t mark) {
  int64_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
  int64_t from = top > mark ? top : mark;
  return bottom > from ? bottom - from : 0;
}

// Owner only. False if there is no room.
static bool fe_deque_push(struct fe_deque *deque, struct fe_range range) {
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
  int64_t top = atomic_load(&deque->top);
  if (bottom - top >= FE_DEQUE_SIZE) {
    return false;
  }
  struct fe_deque_slot *slot = fe_deque_slot(deque, bottom);
  atomic_store_explicit(&slot->region, range.region, memory_order_relaxed);
  atomic_store_explicit(&slot->lo, range.lo, memory_order_relaxed);
  atomic_store_explicit(&slot->hi, range.hi, memory_order_relaxed);
  atomic_store_explicit(&slot->depth, range.depth, memory_order_relaxed);
  atomic_store(&deque->bottom, bottom + 1);
  return true;
}

// Takes the youngest range, if it is not below the mark. Owner only.
static bool fe_deque_pop(struct fe_deque *deque, int64_t mark, struct fe_range *range) {
  int64_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
  if (bottom < mark) {
    return false;
  }
  atomic_store(&deque->bottom, bottom);
  int64_t top = atomic_load(&deque->top);
  bool found = top <= bottom;
  if (found) {
    *range = fe_deque_read(fe_deque_slot(deque, bottom));
  }
  if (top >= bottom) {
    // The last one: thieves may be after it, too.
    if (found) {
      found = atomic_compare_exchange_strong(&deque->top, &top, top + 1);
    }
    atomic_store(&deque->bottom, bottom + 1);
  }
  return found;
}

// Whether a thief would find a range of at least this depth.
static bool fe_deque_visible(struct fe_deque *deque, int depth) {
  int64_t top = atomic_load(&deque->top);
  int64_t bottom = atomic_load(&deque->bottom);
  return top < bottom && atomic_load_explicit(&fe_deque_slot(deque, top)->depth, memory_order_relaxed) >= depth;
}

// Takes the oldest range, if its depth is at least that. Any thread.
static bool fe_deque_steal(struct fe_deque *deque, int depth, struct fe_range *range) {
  int64_t top = atomic_load(&deque->top);
  int64_t bottom = atomic_load(&deque->bottom);
  if (top >= bottom) {
    return false;
  }
  *range = fe_deque_read(fe_deque_slot(deque, top));
  return range->depth >= depth && atomic_compare_exchange_strong(&deque->top, &top, top + 1);
}

#endif
