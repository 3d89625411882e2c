// Blocks of device memory, for memory.c. After transfer.c.

static struct fe_block *fe_block_new(struct fe_pool *pool, int64_t capacity) {
  struct futhark_context *ctx = pool->ctx;
  struct fe_block *block = ctx->gpu.open ? malloc(sizeof *block) : NULL;
  if (block != NULL) {
    block->data = fe_driver_alloc(ctx, capacity);
    block->capacity = capacity;
    if (block->data == NULL) {
      free(block);
      block = NULL;
    }
  }
  return block;
}

// The device may still be busy with a block that nobody has any more.
static void fe_block_delete(struct fe_pool *pool, struct fe_block *block) {
  fe_gpu_settle(pool->ctx);
  fe_driver_free(pool->ctx, block->data);
  free(block);
}
