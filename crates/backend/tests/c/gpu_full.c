// Allocates from a driver that refuses now and then.

static void *(*my_real_alloc)(void *context, uint64_t flags, size_t bytes, unsigned alignment);
static int my_refusals;

static void *my_alloc(void *context, uint64_t flags, size_t bytes, unsigned alignment) {
  if (my_refusals > 0) {
    my_refusals--;
    return NULL;
  }
  return my_real_alloc(context, flags, bytes, alignment);
}

static void my_write(int64_t number) { fwrite(&number, sizeof number, 1, stdout); }

static int my_run(struct futhark_context *ctx, int64_t *out) {
  const int64_t million = 1 << 20;
  struct fe_mem a = {0}, b = {0}, c = {0};
  my_real_alloc = ctx->gpu.driver.cl.alloc;
  ctx->gpu.driver.cl.alloc = my_alloc;
  fe_alloc(ctx, &a, million);
  fe_alloc(ctx, &b, 4 * million);
  // The blocks are used again.
  unsigned char *first = a.data;
  fe_free(ctx, &a);
  fe_alloc(ctx, &a, million - 5);
  if (a.data != first) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the block was not used again");
  }
  fe_free(ctx, &a);
  fe_free(ctx, &b);
  my_write(ctx->pool.used);
  my_write(ctx->pool.kept);
  my_write(ctx->pool.peak);
  my_refusals = 1;
  my_write(fe_alloc(ctx, &c, 10 * million));
  my_write(ctx->pool.kept);
  fe_free(ctx, &c);
  my_refusals = 2;
  my_write(fe_alloc(ctx, &c, 100 * million));
  my_write(ctx->pool.used);
  my_write(ctx->pool.kept);
  fe_forget_error(ctx);
  my_write(fe_alloc(ctx, &c, 8 * million));
  my_write(ctx->pool.peak);
  fe_free(ctx, &c);
  // Refused again after that: one in use gives way, and what was in it is still there.
  int64_t number = 12345;
  fe_alloc(ctx, &a, million);
  fe_put(ctx, a.data, &number, sizeof number);
  my_refusals = 2;
  my_write(fe_alloc(ctx, &c, 16 * million));
  my_write(ctx->gpu.evictions.count);
  number = 0;
  fe_fetch(ctx, &number, a.data, sizeof number);
  my_write(number);
  fe_free(ctx, &a);
  fe_free(ctx, &c);
  *out = 0;
  return FUTHARK_SUCCESS;
}
