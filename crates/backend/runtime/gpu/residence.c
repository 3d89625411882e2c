// Where blocks are: in the memory of the device, or evicted to ours. After profile.c.
//
// The data of a handle, and with it every pointer that the functions of a program have, is not an address of the device: it
// consists of the number of a block and an offset. Functions of the program calculate with it as with any address, also
// in front of a block and behind it. It becomes an address of the device when a kernel is launched, or a copy asked for
// (fe_reach), and that address is forgotten right after: so a block can move between any two requests.
//
//   bits 62 and 63: 1     bits 40 to 61: the number of the block     bits 0 to 39: 2^39 and the offset
//
// All others, as clients of the interface have them, are addresses of the device.
//
// If the device has no more memory, or no more is allowed, free blocks are given back, and then those blocks are evicted that
// were used the longest time ago: what only the device has of them is copied to memory of ours. A request that needs a block
// brings it back. Each request has a number, which the blocks it needs remember; that is all that a launch does for this. Nothing is
// evicted that the same request needs, nor a block whose place somebody was told. Before a block loses its place we
// wait for the device, so that nothing in flight uses it.

static int fe_wait(struct futhark_context *ctx);
static void fe_gpu_settle(struct futhark_context *ctx);

enum { FE_OFFSET_BITS = 40, FE_NUMBER_BITS = 22, FE_MAX_BLOCKS = 1 << FE_NUMBER_BITS };
#define FE_MIDDLE ((uintptr_t)1 << (FE_OFFSET_BITS - 1))

static unsigned char *fe_address_of(int32_t number) {
  return (unsigned char *)((uintptr_t)1 << 62 | (uintptr_t)number << FE_OFFSET_BITS | FE_MIDDLE);
}

// The block that an address is in; NULL if it is none of ours, or if nobody has that block any more.
static inline struct fe_block *fe_block_at(const struct fe_gpu *gpu, const void *address) {
  const uintptr_t bits = (uintptr_t)address;
  const uintptr_t number = bits >> FE_OFFSET_BITS & (FE_MAX_BLOCKS - 1);
  return bits >> 62 == 1 && number < (uintptr_t)gpu->num_blocks ? gpu->blocks[number] : NULL;
}

// Memory of ours for what is evicted. The device reaches it without help; that makes it expensive to allocate, so what is not needed
// waits for the next block of that size.

// What such memory begins with while it waits.
struct fe_spare {
  struct fe_spare *next;
  int64_t bytes;
};

static void fe_spares_free(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  while (gpu->spares != NULL) {
    struct fe_spare *spare = gpu->spares;
    gpu->spares = spare->next;
    fe_driver_free_stage(ctx, spare);
  }
  gpu->spare_bytes = 0;
}

static void *fe_spare_take(struct futhark_context *ctx, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  for (struct fe_spare **at = &gpu->spares; *at != NULL; at = &(*at)->next) {
    if ((*at)->bytes == bytes) {
      struct fe_spare *found = *at;
      *at = found->next;
      gpu->spare_bytes -= bytes;
      return found;
    }
  }
  if (gpu->spare_bytes > ctx->pool.evicted) {
    fe_spares_free(ctx);
  }
  void *memory = fe_driver_alloc_stage(ctx, (size_t)bytes);
  if (memory == NULL) {
    fe_spares_free(ctx);
    memory = fe_driver_alloc_stage(ctx, (size_t)bytes);
  }
  return memory;
}

// The memory of a block, if it has any, waits for others.
static void fe_spare_put(struct futhark_context *ctx, struct fe_block *block) {
  struct fe_spare *spare = block->copy;
  if (spare != NULL) {
    fe_gpu_settle(ctx); // which may still be reading it
    spare->next = ctx->gpu.spares;
    spare->bytes = block->capacity;
    ctx->gpu.spares = spare;
    ctx->gpu.spare_bytes += block->capacity;
    block->copy = NULL;
  }
}

// Eviction

// The block that was used the longest time ago, of those with at least so many bytes that this request does not need; NULL if there
// is none. This looks at all blocks, which is little beside what follows.
static struct fe_block *fe_oldest_block(const struct fe_gpu *gpu, int64_t least, int64_t request) {
  struct fe_block *oldest = NULL;
  for (int32_t i = 0; i < gpu->num_blocks; i++) {
    struct fe_block *block = gpu->blocks[i];
    if (block != NULL && block->refs > 0 && block->place != NULL && !block->pinned && block->capacity >= least
        && block->used_at != request && (gpu->spared == 0 || block->used_at < gpu->spared)
        && (oldest == NULL || block->used_at < oldest->used_at)) {
      oldest = block;
    }
  }
  return oldest;
}

static bool fe_evict_block(struct futhark_context *ctx, struct fe_block *block) {
  struct fe_gpu *gpu = &ctx->gpu;
  int code = FUTHARK_SUCCESS;
  if (block->contents == FE_CHANGED) {
    if (block->copy == NULL) {
      block->copy = fe_spare_take(ctx, block->capacity);
    }
    if (block->copy == NULL) {
      return false;
    }
    struct fe_stamp *stamp = fe_timing_start(ctx, "evict", "", FE_ON_BUS, block->capacity);
    code = fe_driver_copy_out(ctx, block->copy, block->place, (size_t)block->capacity, stamp);
    code = fe_timing_asked(ctx, stamp, code);
    gpu->evictions.bytes_out += block->capacity;
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_wait(ctx);
  }
  if (code != FUTHARK_SUCCESS) {
    return false;
  }
  if (block->contents == FE_CHANGED) {
    block->contents = FE_COPIED;
  }
  fe_driver_free(ctx, block->place);
  block->place = NULL;
  ctx->pool.evicted += block->capacity;
  gpu->evictions.count++;
  fe_log(ctx, "evicted a block of %" PRId64 " bytes", block->capacity);
  return true;
}

// Evicts a block where so many bytes are wanted, and returns how many it had; 0 if there is none. Small ones are not worth it while
// there are larger ones.
static int64_t fe_evict(struct futhark_context *ctx, int64_t wanted, int64_t request) {
  struct fe_block *block = fe_oldest_block(&ctx->gpu, wanted / 16, request);
  if (block == NULL) {
    block = fe_oldest_block(&ctx->gpu, 0, request);
  }
  return block != NULL && fe_evict_block(ctx, block) ? block->capacity : 0;
}

// Places

// Memory of the device, where there is some or where others give way; NULL if there is none. The request is the one that wants
// it, or 0.
static void *fe_place_new(struct futhark_context *ctx, int64_t bytes, int64_t request) {
  struct fe_pool *pool = &ctx->pool;
  const int64_t limit = ctx->cfg->gpu.memory_limit;
  if (bytes > (int64_t)FE_MIDDLE) {
    return NULL;
  }
  if (limit > 0 && pool->used - pool->evicted + pool->kept + bytes > limit) {
    fe_pool_trim(pool);
    for (int64_t excess; (excess = pool->used - pool->evicted + bytes - limit) > 0;) {
      if (fe_evict(ctx, excess, request) == 0) {
        return NULL;
      }
    }
  }
  void *place = fe_driver_alloc(ctx, bytes);
  if (place == NULL) {
    fe_pool_trim(pool);
    place = fe_driver_alloc(ctx, bytes);
  }
  // Nobody knows how much is free, nor in how many pieces.
  while (place == NULL && fe_evict(ctx, bytes, request) > 0) {
    place = fe_driver_alloc(ctx, bytes);
  }
  return place;
}

FE_COLD static int fe_place_failed(struct futhark_context *ctx, int64_t bytes) {
  const int64_t present = ctx->pool.used - ctx->pool.evicted, limit = ctx->cfg->gpu.memory_limit;
  if (limit > 0) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot allocate %" PRId64 " bytes on the device (%" PRId64
                   " are in use that cannot be evicted; the limit is %" PRId64 ")", bytes, present, limit);
  }
  return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot allocate %" PRId64 " bytes on the device (%" PRId64
                 " are in use that cannot be evicted)", bytes, present);
}

// Who makes a request, for the message if it fails.
struct fe_who {
  const char *what, *name, *place; // NULL: it has none
};

// Not all that a request needs has room at once.
FE_COLD static int fe_reach_failed(struct futhark_context *ctx, struct fe_who who) {
  const struct fe_gpu *gpu = &ctx->gpu;
  int64_t needed = 0, pinned = 0;
  for (int32_t i = 0; i < gpu->num_blocks; i++) {
    const struct fe_block *block = gpu->blocks[i];
    needed += block != NULL && block->used_at == gpu->request ? block->capacity : 0;
    pinned += block != NULL && block->used_at != gpu->request && block->pinned ? block->capacity : 0;
  }
  char allowed[64] = "which is more than the device has";
  if (ctx->cfg->gpu.memory_limit > 0) {
    snprintf(allowed, sizeof allowed, "the limit is %" PRId64, ctx->cfg->gpu.memory_limit);
  }
  char name[256] = "";
  if (who.name != NULL) {
    snprintf(name, sizeof name, who.place == NULL ? " \"%s\"" : " \"%s\" (%s)", who.name, who.place);
  }
  return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: %s%s needs arrays of %" PRId64 " bytes on the device at once; %s"
                 " (%" PRId64 " are taken by others that cannot be evicted)", who.what, name, needed, allowed, pinned);
}

static int fe_bring_back(struct futhark_context *ctx, struct fe_block *block) {
  struct fe_gpu *gpu = &ctx->gpu;
  block->place = fe_place_new(ctx, block->capacity, gpu->request);
  if (block->place == NULL) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  ctx->pool.evicted -= block->capacity;
  fe_pool_count(&ctx->pool, 0);
  if (block->contents != FE_COPIED) {
    return FUTHARK_SUCCESS;
  }
  struct fe_stamp *stamp = fe_timing_start(ctx, "bring_back", "", FE_ON_BUS, block->capacity);
  gpu->evictions.bytes_in += block->capacity;
  return fe_timing_asked(ctx, stamp, fe_driver_copy_in(ctx, block->place, block->copy, (size_t)block->capacity, stamp));
}

// Begins a request that needs these, and makes addresses of the device of them, which are good until the next request.
static int fe_reach(struct futhark_context *ctx, struct fe_who who, int count, struct fe_needed *needed) {
  struct fe_gpu *gpu = &ctx->gpu;
  // Fresh blocks have numbers in between: no request needs them yet, but one soon will.
  gpu->request += 2;
#ifdef FE_RESTLESS
  // For tests: nothing stays where it was.
  for (struct fe_block *block; (block = fe_oldest_block(gpu, 0, gpu->request)) != NULL;) {
    if (!fe_evict_block(ctx, block)) {
      return FUTHARK_OUT_OF_MEMORY;
    }
  }
#endif
  bool absent = false;
  for (int i = 0; i < count; i++) {
    struct fe_block *block = fe_block_at(gpu, needed[i].address);
    if (block != NULL) {
      block->used_at = gpu->request;
      absent = absent || block->place == NULL;
    }
  }
  for (int i = 0; i < count && absent; i++) {
    struct fe_block *block = fe_block_at(gpu, needed[i].address);
    int code = block != NULL && block->place == NULL ? fe_bring_back(ctx, block) : FUTHARK_SUCCESS;
    if (code != FUTHARK_SUCCESS) {
      return code == FUTHARK_OUT_OF_MEMORY ? fe_reach_failed(ctx, who) : code;
    }
  }
  for (int i = 0; i < count; i++) {
    struct fe_block *block = fe_block_at(gpu, needed[i].address);
    if (block != NULL) {
      block->contents = needed[i].written ? FE_CHANGED : block->contents;
      needed[i].address = block->place + ((uintptr_t)needed[i].address - (uintptr_t)block->data);
    }
  }
  return FUTHARK_SUCCESS;
}

// Where we have what is at an address, if it is evicted; NULL otherwise.
static const unsigned char *fe_copy_at(const struct fe_gpu *gpu, const void *address) {
  const struct fe_block *block = fe_block_at(gpu, address);
  return block != NULL && block->place == NULL && block->contents == FE_COPIED
             ? (const unsigned char *)block->copy + ((uintptr_t)address - (uintptr_t)block->data)
             : NULL;
}

FE_SHARED int fe_reach_foreign(struct futhark_context *ctx, int count, struct fe_needed *needed, const char *symbol) {
  return fe_reach(ctx, (struct fe_who){"the foreign function", symbol, NULL}, count, needed);
}

FE_SHARED unsigned char *fe_pin(struct futhark_context *ctx, const struct fe_mem *mem) {
  struct fe_needed needed = {mem->data, true};
  if (fe_reach(ctx, (struct fe_who){"whoever wants its address", NULL, NULL}, 1, &needed) != FUTHARK_SUCCESS) {
    return NULL;
  }
  struct fe_block *block = fe_block_at(&ctx->gpu, mem->data);
  if (block != NULL) {
    block->pinned = true;
  }
  return needed.address;
}
