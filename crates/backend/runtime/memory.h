// Memory of arrays: blocks with a count of their handles, and a list of free blocks for each size class.
//
// Programs allocate the same sizes over and over, and fresh memory of the operating system is slow (each
// page is cleared and mapped at its first use). So blocks that are no longer used are kept and used again.
//
// The count of a block is not atomic: the tasks of a parallel loop only borrow handles of other threads.
//
// With a GPU the data of a block is in the device's memory, and only the header is in ours: see gpu/memory.h. What the
// device is still doing with a block that is taken again comes before what is asked of it later.

#define FE_ALIGNMENT 64

// Replaced by tests, which want to see failures.
#ifndef FE_SYSTEM_ALLOC
#define FE_SYSTEM_ALLOC(bytes) aligned_alloc(FE_ALIGNMENT, bytes)
#endif

// The header of a block. Its data starts FE_ALIGNMENT bytes later, unless it is in a device's memory.
struct fe_block {
  int64_t refs;
  int64_t capacity; // bytes of data
  struct fe_block *next; // in a list of free blocks
#ifdef FE_GPU
  unsigned char *data;
#endif
};

// A handle of memory. Without a block the memory is borrowed, or there is none.
struct fe_mem {
  unsigned char *data;
  struct fe_block *block;
};

_Static_assert(sizeof(struct fe_block) <= FE_ALIGNMENT, "the header of a block must fit before its data");

// Eight classes for each power of two, so that at most an eighth of a block is wasted; below 512 bytes they
// are the multiples of 64. The last class is that of the largest block, of FE_MAX_BLOCK bytes.
#define FE_SMALL_CLASSES 8
#define FE_MAX_BLOCK ((int64_t)1 << 56)
#define FE_NUM_CLASSES (FE_SMALL_CLASSES + (56 - 9) * 8)

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

// How many larger classes are looked at when there is no free block of the right one.
#define FE_CLASSES_TRIED 4

#ifdef FE_MULTICORE
// Threads are spread over several sets of lists, so that they seldom wait for each other. Each set counts for itself up
// to so many bytes before the others hear of it.
#define FE_NUM_SHARDS 16
#define FE_COUNTED_ALONE ((int64_t)1 << 16)
// A miss of a block of this size is worth a look at the lists of the other threads.
#define FE_LARGE_BLOCK ((int64_t)1 << 18)
typedef _Atomic int64_t fe_counter;
#else
#define FE_NUM_SHARDS 1
#define FE_COUNTED_ALONE 0
typedef int64_t fe_counter;
#endif

struct fe_shard {
#ifdef FE_MULTICORE
  pthread_mutex_t lock;
#endif
  int64_t used, kept; // what the pool's numbers lack
  struct fe_block *free[FE_NUM_CLASSES];
};

struct fe_pool {
  struct fe_shard shards[FE_NUM_SHARDS];
  fe_counter used; // bytes of the blocks that have handles
  fe_counter peak; // the most that `used` has been
  fe_counter kept; // bytes of the free blocks
#ifdef FE_GPU
  struct futhark_context *ctx; // which has the device
#endif
};

#ifdef FE_GPU
static inline unsigned char *fe_block_data(struct fe_block *block) { return block->data; }

// A new block; NULL if the device has no memory. And the end of one.
static struct fe_block *fe_block_new(struct fe_pool *pool, int64_t capacity);
static void fe_block_delete(struct fe_pool *pool, struct fe_block *block);
#else
static inline unsigned char *fe_block_data(struct fe_block *block) {
  return (unsigned char *)block + FE_ALIGNMENT;
}

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
#else
  pool->used += bytes;
  if (pool->used > pool->peak) {
    pool->peak = pool->used;
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

// Gives all free blocks back to the system.
static void fe_pool_trim(struct fe_pool *pool) {
  for (int i = 0; i < FE_NUM_SHARDS; i++) {
    struct fe_shard *shard = &pool->shards[i];
    fe_shard_lock(shard);
    for (int class = 0; class < FE_NUM_CLASSES; class++) {
      while (shard->free[class] != NULL) {
        struct fe_block *block = shard->free[class];
        shard->free[class] = block->next;
        fe_shard_count(pool, shard, 0, -block->capacity);
        fe_block_delete(pool, block);
      }
    }
    fe_shard_unlock(shard);
  }
}

static void fe_pool_free(struct fe_pool *pool) {
  fe_pool_trim(pool);
  fe_pool_settle(pool);
#ifdef FE_MULTICORE
  for (int i = 0; i < FE_NUM_SHARDS; i++) {
    pthread_mutex_destroy(&pool->shards[i].lock);
  }
#endif
}

// Takes a free block of a class, or one a little larger; NULL if there is none.
static struct fe_block *fe_shard_take(struct fe_pool *pool, struct fe_shard *shard, int class) {
  int end = class + FE_CLASSES_TRIED < FE_NUM_CLASSES ? class + FE_CLASSES_TRIED : FE_NUM_CLASSES;
  struct fe_block *block = NULL;
  fe_shard_lock(shard);
  for (; class < end && block == NULL; class++) {
    block = shard->free[class];
    if (block != NULL) {
      shard->free[class] = block->next;
      fe_shard_count(pool, shard, block->capacity, -block->capacity);
    }
  }
  fe_shard_unlock(shard);
  return block;
}

static struct fe_block *fe_pool_take(struct fe_pool *pool, int class) {
  int own = fe_own_shard();
  struct fe_block *block = fe_shard_take(pool, &pool->shards[own], class);
#ifdef FE_MULTICORE
  if (fe_class_capacity(class) >= FE_LARGE_BLOCK) {
    for (int i = 1; i < FE_NUM_SHARDS && block == NULL; i++) {
      block = fe_shard_take(pool, &pool->shards[(own + i) % FE_NUM_SHARDS], class);
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
  int class = fe_class_of(bytes);
  struct fe_block *block = fe_pool_take(pool, class);
  if (block == NULL) {
    int64_t capacity = fe_class_capacity(class);
    block = fe_block_new(pool, capacity);
    if (block == NULL) {
      fe_pool_trim(pool);
      block = fe_block_new(pool, capacity);
    }
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
  return block;
}

// Takes back a block without handles. No more is kept than was used at some time. Giving memory back to a device means
// waiting for it, so there all is kept until it is needed.
static void fe_pool_put(struct fe_pool *pool, struct fe_block *block) {
  struct fe_shard *shard = &pool->shards[fe_own_shard()];
  int64_t bytes = block->capacity;
#ifdef FE_GPU
  bool keep = true;
#else
  bool keep = pool->kept + bytes <= pool->peak + FE_COUNTED_ALONE;
#endif
  int class = fe_class_of(bytes);
  fe_shard_lock(shard);
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

// Releases a handle, which becomes empty.
static inline void fe_free(struct futhark_context *ctx, struct fe_mem *m) {
  struct fe_block *block = m->block;
  m->data = NULL;
  m->block = NULL;
  if (block != NULL && --block->refs == 0) {
    fe_pool_put(fe_pool_of(ctx), block);
  }
}

FE_COLD static int fe_alloc_failed(struct futhark_context *ctx, int64_t bytes) {
  if (bytes < 0) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: an array is larger than any memory");
  }
  return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot allocate %" PRId64 " bytes (%" PRId64
                 " are in use)", bytes, (int64_t)fe_pool_of(ctx)->used);
}

static int fe_alloc_slow(struct futhark_context *ctx, struct fe_mem *m, int64_t bytes) {
  fe_free(ctx, m);
  struct fe_block *block = fe_pool_get(fe_pool_of(ctx), bytes);
  if (block == NULL) {
    return fe_alloc_failed(ctx, bytes);
  }
  m->block = block;
  m->data = fe_block_data(block);
  return FUTHARK_SUCCESS;
}

// Makes `*m` a handle of a block that nobody else has, of at least so many bytes, with any contents. An
// allocation in a loop mostly finds the block of the last iteration.
static inline int fe_alloc(struct futhark_context *ctx, struct fe_mem *m, int64_t bytes) {
  struct fe_block *block = m->block;
  if (FE_LIKELY(block != NULL) && block->refs == 1 && m->data == fe_block_data(block)
      && (uint64_t)bytes <= (uint64_t)block->capacity) {
    return FUTHARK_SUCCESS;
  }
  return fe_alloc_slow(ctx, m, bytes);
}

// Makes `*dst` another handle of the memory of `*src`, from an offset on. They may be the same.
static inline void fe_share(struct futhark_context *ctx, struct fe_mem *dst, const struct fe_mem *src,
                            int64_t offset_bytes) {
  struct fe_mem shared = *src;
  if (shared.block != NULL) {
    shared.block->refs++;
  }
  if (shared.data != NULL) {
    shared.data += offset_bytes;
  }
  fe_free(ctx, dst);
  *dst = shared;
}

// The bytes of so many things of this size; negative, which no memory has, if they are too many.
FE_UNUSED static inline int64_t fe_bytes(int64_t count, int64_t size) {
  return count < 0 || count > FE_MAX_BLOCK / size ? -1 : count * size;
}
