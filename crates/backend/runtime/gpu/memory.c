// Blocks of device memory, for memory.c. After residence.c.

// A number for a block; -1 if there is none.
static int32_t fe_number_take(struct fe_gpu *gpu) {
  if (gpu->num_free_numbers > 0) {
    return gpu->free_numbers[--gpu->num_free_numbers];
  }
  if (gpu->num_blocks == gpu->max_blocks) {
    int32_t more = gpu->max_blocks == 0 ? 64 : 2 * gpu->max_blocks;
    struct fe_block **blocks = more > FE_MAX_BLOCKS ? NULL : realloc(gpu->blocks, (size_t)more * sizeof(struct fe_block *));
    gpu->blocks = blocks == NULL ? gpu->blocks : blocks;
    int32_t *numbers = blocks == NULL ? NULL : realloc(gpu->free_numbers, (size_t)more * sizeof *numbers);
    gpu->free_numbers = numbers == NULL ? gpu->free_numbers : numbers;
    if (numbers == NULL) {
      return -1;
    }
    gpu->max_blocks = more;
  }
  return gpu->num_blocks++;
}

static struct fe_block *fe_block_new(struct fe_pool *pool, int64_t capacity) {
  struct futhark_context *ctx = pool->ctx;
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_block *block = gpu->open ? calloc(1, sizeof *block) : NULL;
  if (block == NULL) {
    return NULL;
  }
  block->place = fe_place_new(ctx, capacity, 0);
  block->number = block->place == NULL ? -1 : fe_number_take(gpu);
  if (block->number < 0) {
    if (block->place != NULL) {
      fe_driver_free(ctx, block->place);
    }
    free(block);
    return NULL;
  }
  gpu->blocks[block->number] = block;
  block->data = fe_address_of(block->number);
  block->capacity = capacity;
  return block;
}

// The device may still be busy with a block that nobody has any more.
static void fe_block_delete(struct fe_pool *pool, struct fe_block *block) {
  struct fe_gpu *gpu = &pool->ctx->gpu;
  fe_gpu_settle(pool->ctx);
  if (block->place != NULL) {
    fe_driver_free(pool->ctx, block->place);
  }
  gpu->blocks[block->number] = NULL;
  gpu->free_numbers[gpu->num_free_numbers++] = block->number;
  free(block);
}

static void fe_block_begin(struct fe_pool *pool, struct fe_block *block) {
  block->contents = FE_NOTHING;
  block->pinned = false;
  block->used_at = pool->ctx->gpu.request + 1;
}

static bool fe_block_end(struct fe_pool *pool, struct fe_block *block) {
  fe_spare_put(pool->ctx, block);
  if (block->place == NULL) {
    pool->evicted -= block->capacity;
  }
  return block->place != NULL;
}
