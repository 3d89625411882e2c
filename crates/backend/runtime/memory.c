// Pools: where blocks come from, and where they go when nobody has a handle of them.

// Replaced by tests, which want to see failures.
#ifndef FE_SYSTEM_ALLOC
#define FE_SYSTEM_ALLOC(bytes) aligned_alloc(FE_ALIGNMENT, bytes)
#endif

// How many larger classes are looked at when there is no free block of the right one, and how many blocks of a class.
#define FE_CLASSES_TRIED 4
#define FE_BLOCKS_TRIED 8

// Lists are added so many at a time.
#define FE_CLASSES_MORE 32

// Blocks of more bytes than this have capacities of their own in a class, of which at most a 64th is wasted.
#define FE_CLASS_BLOCKS ((int64_t)1 << 16)

// The pool may be larger than what was in use at one time by so many bytes, and by what the shards count alone, before it gives
// anything back: otherwise small programs would return what they free, and ask for it again, at every allocation.
#define FE_SLACK (((int64_t)1 << 20) + FE_NUM_SHARDS * FE_COUNTED_ALONE)

#ifdef FE_MULTICORE
// A miss of a block of this size is worth a look at the lists of the other threads.
#define FE_LARGE_BLOCK ((int64_t)1 << 18)
#endif

static inline int fe_log2(int64_t n) {
#if defined(__GNUC__)
  return 63 - __builtin_clzll((unsigned long long)n);
#else
  int log = 0;
  while (n > 1) {
    n >>= 1;
    log++;
  }
  return log;
#endif
}

// The class whose blocks are the smallest of at least so many bytes.
static inline int fe_class_of(int64_t bytes) {
  if (bytes <= 512) {
    return bytes <= 0 ? 0 : (int)((bytes - 1) / 64);
  }
  int log = fe_log2(bytes - 1); // 2^log < bytes <= 2^(log+1)
  int eighth = (int)((bytes - 1) >> (log - 3)) - 8;
  return FE_SMALL_CLASSES + (log - 9) * 8 + eighth;
}

// The bytes of the blocks of a class.
static inline int64_t fe_class_capacity(int class) {
  if (class < FE_SMALL_CLASSES) {
    return (int64_t)(class + 1) * 64;
  }
  int log = (class - FE_SMALL_CLASSES) / 8 + 9;
  return (int64_t)((class - FE_SMALL_CLASSES) % 8 + 9) << (log - 3);
}

// The bytes of a new block for so many.
static inline int64_t fe_capacity_for(int64_t bytes) {
  if (bytes <= FE_CLASS_BLOCKS) {
    return fe_class_capacity(fe_class_of(bytes));
  }
  int64_t step = (int64_t)1 << (fe_log2(bytes - 1) - 6);
  return (bytes + step - 1) / step * step;
}

#ifdef FE_GPU
// A new block; NULL if the device has no memory for it, after all others that could have given way. And the end of one.
static struct fe_block *fe_block_new(struct fe_pool *pool, int64_t capacity);
static void fe_block_delete(struct fe_pool *pool, struct fe_block *block);
// A block gets its first handle, or has lost its last one; the answer is whether it can be kept for another.
static void fe_block_begin(struct fe_pool *pool, struct fe_block *block);
static bool fe_block_end(struct fe_pool *pool, struct fe_block *block);
// Says why there is no memory for so many bytes.
FE_COLD static int fe_place_failed(struct futhark_context *ctx, int64_t bytes);
#else
// Blocks from this size on ask for large pages, of which the processor remembers more memory.
#define FE_LARGE_PAGES ((int64_t)1 << 22)

static struct fe_block *fe_block_new(struct fe_pool *pool, int64_t capacity) {
  (void)pool;
  struct fe_block *block = FE_SYSTEM_ALLOC((size_t)capacity + FE_ALIGNMENT);
#ifdef MADV_HUGEPAGE
  if (block != NULL && capacity >= FE_LARGE_PAGES) {
    // Only whole pages can be asked for; it does no harm if there are none.
    const uintptr_t page = 4096, first = ((uintptr_t)block + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)block + (size_t)capacity) / page * page;
    (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
  }
#endif
  return block;
}

static void fe_block_delete(struct fe_pool *pool, struct fe_block *block) {
  (void)pool;
  free(block);
}
#endif

static void fe_pool_init(struct fe_pool *pool) {
  memset(pool, 0, sizeof *pool);
#ifdef FE_MULTICORE
  for (int i = 0; i < FE_NUM_SHARDS; i++) {
    pthread_mutex_init(&pool->shards[i].lock, NULL);
  }
#endif
}

static inline void fe_shard_lock(struct fe_shard *shard) {
#ifdef FE_MULTICORE
  pthread_mutex_lock(&shard->lock);
#else
  (void)shard;
#endif
}

static inline void fe_shard_unlock(struct fe_shard *shard) {
#ifdef FE_MULTICORE
  pthread_mutex_unlock(&shard->lock);
#else
  (void)shard;
#endif
}

// The number of the set of lists that the calling thread uses.
static inline int fe_own_shard(void) {
#ifdef FE_MULTICORE
  static atomic_int threads;
  static _Thread_local int own = -1;
  if (own < 0) {
    own = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % FE_NUM_SHARDS;
  }
  return own;
#else
  return 0;
#endif
}

// Counts bytes as used, or as no longer used.
static void fe_pool_count(struct fe_pool *pool, int64_t bytes) {
#ifdef FE_MULTICORE
  int64_t used = atomic_fetch_add_explicit(&pool->used, bytes, memory_order_relaxed) + bytes;
  int64_t peak = atomic_load_explicit(&pool->peak, memory_order_relaxed);
  while (used > peak && !atomic_compare_exchange_weak(&pool->peak, &peak, used)) {
  }
  int64_t recent = atomic_load_explicit(&pool->recent, memory_order_relaxed);
  while (used > recent && !atomic_compare_exchange_weak(&pool->recent, &recent, used)) {
  }
#else
  pool->used += bytes;
#ifdef FE_GPU
  const int64_t present = pool->used - pool->evicted;
#else
  const int64_t present = pool->used;
#endif
  if (present > pool->peak) {
    pool->peak = present;
  }
  if (pool->used > pool->recent) {
    pool->recent = pool->used;
  }
#endif
}

// The pool hears of what a shard has counted. The shard is locked.
static void fe_shard_tell(struct fe_pool *pool, struct fe_shard *shard) {
  pool->kept += shard->kept;
  fe_pool_count(pool, shard->used);
  shard->kept = 0;
  shard->used = 0;
}

// Counts bytes as used and as kept. The shard is locked.
static void fe_shard_count(struct fe_pool *pool, struct fe_shard *shard, int64_t used, int64_t kept) {
  shard->used += used;
  shard->kept += kept;
  if (llabs(shard->used) >= FE_COUNTED_ALONE || llabs(shard->kept) >= FE_COUNTED_ALONE) {
    fe_shard_tell(pool, shard);
  }
}

// Makes the numbers of the pool exact.
static void fe_pool_settle(struct fe_pool *pool) {
  for (int i = 0; i < FE_NUM_SHARDS; i++) {
    fe_shard_lock(&pool->shards[i]);
    fe_shard_tell(pool, &pool->shards[i]);
    fe_shard_unlock(&pool->shards[i]);
  }
}

// Gives free blocks back to the system, the largest of each set of lists first, until so many bytes are gone.
static void fe_pool_shrink(struct fe_pool *pool, int64_t bytes) {
  for (int i = 0; i < FE_NUM_SHARDS && bytes > 0; i++) {
    struct fe_shard *shard = &pool->shards[i];
    fe_shard_lock(shard);
    for (int class = shard->classes - 1; class >= 0 && bytes > 0; class--) {
      while (shard->free[class] != NULL && bytes > 0) {
        struct fe_block *block = shard->free[class];
        shard->free[class] = block->next;
        fe_shard_count(pool, shard, 0, -block->capacity);
        bytes -= block->capacity;
        fe_block_delete(pool, block);
      }
    }
    fe_shard_unlock(shard);
  }
}

// Gives all free blocks back to the system.
static void fe_pool_trim(struct fe_pool *pool) {
  fe_pool_shrink(pool, INT64_MAX);
}

static void fe_pool_free(struct fe_pool *pool) {
  fe_pool_trim(pool);
  fe_pool_settle(pool);
#ifdef FE_MULTICORE
  for (int i = 0; i < FE_NUM_SHARDS; i++) {
    pthread_mutex_destroy(&pool->shards[i].lock);
  }
#endif
  for (int i = 0; i < FE_NUM_SHARDS; i++) {
    free(pool->shards[i].free);
    pool->shards[i].free = NULL;
    pool->shards[i].classes = 0;
  }
}

// Takes a free block of the class of so many bytes, or one a little larger; NULL if there is none.
static struct fe_block *fe_shard_take(struct fe_pool *pool, struct fe_shard *shard, int64_t bytes) {
  int class = fe_class_of(bytes);
  struct fe_block *block = NULL;
  fe_shard_lock(shard);
  int end = class + FE_CLASSES_TRIED < shard->classes ? class + FE_CLASSES_TRIED : shard->classes;
  for (; class < end && block == NULL; class++) {
    struct fe_block **at = &shard->free[class];
    for (int tried = 0; *at != NULL && (*at)->capacity < bytes && tried < FE_BLOCKS_TRIED; tried++) {
      at = &(*at)->next;
    }
    if (*at != NULL && (*at)->capacity >= bytes) {
      block = *at;
      *at = block->next;
      fe_shard_count(pool, shard, block->capacity, -block->capacity);
    }
  }
  fe_shard_unlock(shard);
  return block;
}

static struct fe_block *fe_pool_take(struct fe_pool *pool, int64_t bytes) {
  int own = fe_own_shard();
  struct fe_block *block = fe_shard_take(pool, &pool->shards[own], bytes);
#ifdef FE_MULTICORE
  if (bytes >= FE_LARGE_BLOCK) {
    for (int i = 1; i < FE_NUM_SHARDS && block == NULL; i++) {
      block = fe_shard_take(pool, &pool->shards[(own + i) % FE_NUM_SHARDS], bytes);
    }
  }
#endif
  return block;
}

// A block of at least so many bytes, with one handle; NULL if there is no memory.
static struct fe_block *fe_pool_get(struct fe_pool *pool, int64_t bytes) {
  if (bytes < 0 || bytes > FE_MAX_BLOCK) {
    return NULL;
  }
  struct fe_block *block = fe_pool_take(pool, bytes);
  if (block == NULL) {
    int64_t capacity = fe_capacity_for(bytes);
    if (pool->limit > 0 && pool->used + pool->kept + capacity > pool->limit) {
      fe_pool_trim(pool);
      if (pool->used + capacity > pool->limit) {
        return NULL;
      }
    }
#ifndef FE_GPU
    // Free blocks that fit nobody must not make the pool much larger than what was in use at one time: where sizes change, as in
    // a loop over a matrix that shrinks, there would soon be as much of them.
    const int64_t more = pool->used + capacity > pool->peak ? pool->used + capacity : pool->peak;
    const int64_t excess = pool->used + pool->kept + capacity - more;
    if (excess > FE_SLACK) {
      fe_pool_shrink(pool, excess);
    }
#endif
    block = fe_block_new(pool, capacity);
#ifndef FE_GPU
    if (block == NULL) {
      fe_pool_trim(pool);
      block = fe_block_new(pool, capacity);
    }
#endif
    if (block == NULL) {
      return NULL;
    }
    block->capacity = capacity;
    struct fe_shard *shard = &pool->shards[fe_own_shard()];
    fe_shard_lock(shard);
    fe_shard_count(pool, shard, capacity, 0);
    fe_shard_unlock(shard);
  }
  block->refs = 1;
  block->next = NULL;
#ifdef FE_GPU
  fe_block_begin(pool, block);
#endif
  return block;
}

// Whether there is a list for the blocks of a class, perhaps a new one. The shard is locked.
static inline bool fe_shard_has(struct fe_shard *shard, int class) {
  if (FE_LIKELY(class < shard->classes)) {
    return true;
  }
  const int classes = (class / FE_CLASSES_MORE + 1) * FE_CLASSES_MORE;
  struct fe_block **lists = realloc(shard->free, (size_t)classes * sizeof *lists);
  if (lists == NULL) {
    return false;
  }
  for (int i = shard->classes; i < classes; i++) {
    lists[i] = NULL;
  }
  shard->free = lists;
  shard->classes = classes;
  return true;
}

FE_SHARED void fe_pool_put(struct fe_pool *pool, struct fe_block *block) {
  struct fe_shard *shard = &pool->shards[fe_own_shard()];
  int64_t bytes = block->capacity;
#ifdef FE_GPU
  bool keep = fe_block_end(pool, block);
#else
  bool keep = true;
#endif
  int class = fe_class_of(bytes);
  fe_shard_lock(shard);
  keep = keep && fe_shard_has(shard, class);
  fe_shard_count(pool, shard, -bytes, keep ? bytes : 0);
  if (keep) {
    block->next = shard->free[class];
    shard->free[class] = block;
  }
  fe_shard_unlock(shard);
  if (!keep) {
    fe_block_delete(pool, block);
  }
}

FE_COLD static int fe_alloc_failed(struct futhark_context *ctx, int64_t bytes) {
  if (bytes < 0) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: an array is larger than any memory");
  }
#ifdef FE_GPU
  return fe_place_failed(ctx, bytes);
#else
  return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot allocate %" PRId64 " bytes (%" PRId64
                 " are in use)", bytes, (int64_t)fe_pool_of(ctx)->used);
#endif
}

FE_SHARED int fe_alloc_slow(struct futhark_context *ctx, struct fe_mem *m, int64_t bytes) {
  fe_free(ctx, m);
  if (ctx->cancelled) {
    return fe_stop(ctx);
  }
  const int64_t start = fe_event_start(ctx);
  struct fe_block *block = fe_pool_get(fe_pool_of(ctx), bytes);
  if (ctx->profiling) {
    fe_alloc_end(ctx, start);
  }
  if (block == NULL) {
    return fe_alloc_failed(ctx, bytes);
  }
  m->block = block;
  m->data = fe_block_data(block);
  return FUTHARK_SUCCESS;
}
