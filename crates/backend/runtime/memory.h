// Memory for arrays: reference-counted blocks, and a free list for each size class.
//
// Programs allocate the same sizes over and over, and fresh memory from the operating system is slow (each page is
// cleared and mapped on first use). So blocks that are no longer used are kept and reused.
//
// The reference count of a block is not atomic: the tasks of a parallel loop only borrow handles of other threads.
//
// With a GPU, the data of a block is in device memory, and only the header is in host memory: see gpu/memory.c. When a
// block is reused, work that the device still does on it precedes everything that is requested later. There a block can be
// evicted, and its data is not an address of the device: see gpu/residence.c.

#define FE_ALIGNMENT 64

// The header of a block. Its data starts FE_ALIGNMENT bytes later, unless it is in a device's memory.
struct fe_block {
  int64_t refs;
  int64_t capacity; // bytes of data
  struct fe_block *next; // in a list of free blocks
#ifdef FE_GPU
  unsigned char *data; // what handles have: its number and an offset
  unsigned char *place; // where the device has it; NULL while it is evicted
  void *copy; // memory of ours for its contents; NULL: it has none yet
  int64_t used_at; // the number of the request that has used it last
  int32_t number;
  uint8_t contents; // enum fe_contents
  bool pinned; // somebody was told its place
#endif
};

#ifdef FE_GPU
// What is known of the contents of a block.
enum fe_contents {
  FE_NOTHING, // nobody has written anything to it
  FE_CHANGED, // only the device has them
  FE_COPIED   // so have we
};
#endif

// A handle of memory. Without a block the memory is borrowed, or there is none.
struct fe_mem {
  unsigned char *data;
  struct fe_block *block;
};

_Static_assert(sizeof(struct fe_block) <= FE_ALIGNMENT, "the header of a block must fit before its data");

// Eight classes for each power of two, so that at most an eighth of a small block is wasted (and less of a large one, see
// memory.c); below 512 bytes they are the multiples of 64. The last class is that of the largest block, of FE_MAX_BLOCK bytes.
#define FE_SMALL_CLASSES 8
#define FE_MAX_BLOCK ((int64_t)1 << 56)
#define FE_NUM_CLASSES (FE_SMALL_CLASSES + (56 - 9) * 8)

#ifdef FE_MULTICORE
// Threads are spread over several sets of lists, so that they seldom wait for each other. Each set counts for itself up
// to so many bytes before the others hear of it.
#define FE_NUM_SHARDS 32
#define FE_COUNTED_ALONE ((int64_t)1 << 16)
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
  int classes; // how many lists there are: a few of the smallest classes are all that most threads of most programs need
  struct fe_block **free;
#ifdef FE_MULTICORE
  unsigned char apart[192]; // so that no two sets are in one line of the caches, or in neighbours
#endif
};

struct fe_pool {
  struct fe_shard shards[FE_NUM_SHARDS];
  fe_counter used; // bytes of the blocks that have handles
  fe_counter peak; // the most that `used` has been, without what was evicted
  fe_counter recent; // the most that `used` has been since somebody has begun to count
  fe_counter kept; // bytes of the free blocks
  int64_t limit; // the most that there may be, in bytes; 0: as much as there is
#ifdef FE_GPU
  int64_t evicted; // bytes of the blocks that have handles, but no place on the device
  struct futhark_context *ctx; // which has the device
#endif
};

static inline unsigned char *fe_block_data(struct fe_block *block) {
#ifdef FE_GPU
  return block->data;
#else
  return (unsigned char *)block + FE_ALIGNMENT;
#endif
}

// Takes back a block without handles. No more is kept than was used at some time. Giving memory back to a device means
// waiting for it, so there all is kept until it is needed.
FE_SHARED void fe_pool_put(struct fe_pool *pool, struct fe_block *block);

// Releases a handle, which becomes empty.
static inline void fe_free(struct futhark_context *ctx, struct fe_mem *m) {
  struct fe_block *block = m->block;
  m->data = NULL;
  m->block = NULL;
  if (block != NULL && --block->refs == 0) {
    fe_pool_put(fe_pool_of(ctx), block);
  }
}

FE_SHARED int fe_alloc_slow(struct futhark_context *ctx, struct fe_mem *m, int64_t bytes);

// Makes `*m` a handle of a block that nobody else has, of at least this many bytes, with any contents. An
// allocation in a loop mostly finds the block of the last iteration.
static inline int fe_alloc(struct futhark_context *ctx, struct fe_mem *m, int64_t bytes) {
  struct fe_block *block = m->block;
  if (FE_LIKELY(block != NULL) && block->refs == 1 && m->data == fe_block_data(block)
      && (uint64_t)bytes <= (uint64_t)block->capacity) {
#ifdef FE_GPU
    block->contents = FE_NOTHING;
#endif
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

// The bytes of this many things of this size; negative, which no memory has, if they are too many.
FE_UNUSED static inline int64_t fe_bytes(int64_t count, int64_t size) {
  return count < 0 || count > FE_MAX_BLOCK / size ? -1 : count * size;
}
