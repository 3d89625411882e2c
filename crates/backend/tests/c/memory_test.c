// Tests of memory.h and memory.c, with a system that can be told to have no memory. Included after base.h.

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      abort();                                                            \
    }                                                                     \
  } while (0)

#ifdef FE_MULTICORE
static _Atomic int64_t allocations, allowed = INT64_MAX;
#else
static int64_t allocations, allowed = INT64_MAX;
#endif

// Only so many bytes can be had at once.
static void *test_alloc(size_t bytes) {
  if (bytes > (size_t)allowed) {
    return NULL;
  }
  allocations++;
  return aligned_alloc(64, bytes);
}

#define FE_SYSTEM_ALLOC(bytes) test_alloc(bytes)
#include "memory.h"

struct futhark_context {
  struct fe_pool pool;
  int errors;
  volatile int cancelled;
  bool profiling;
};

// Nobody wants to know.
static int64_t fe_event_start(struct futhark_context *ctx) {
  (void)ctx;
  return 0;
}
static void fe_alloc_end(struct futhark_context *ctx, int64_t start) { (void)ctx, (void)start; }

static struct fe_pool *fe_pool_of(struct futhark_context *ctx) { return &ctx->pool; }

static int fe_stop(struct futhark_context *ctx);

#include "memory.c"

static int fe_fail(struct futhark_context *ctx, int code, const char *format, ...) {
  (void)format;
  ctx->errors++;
  return code;
}

static int fe_stop(struct futhark_context *ctx) { return fe_fail(ctx, 2, "stopped"); }

static void classes(void) {
  CHECK(fe_class_of(0) == 0 && fe_class_of(1) == 0 && fe_class_of(64) == 0 && fe_class_of(65) == 1);
  CHECK(fe_class_of(512) == 7 && fe_class_of(513) == 8);
  for (int class = 0; class < FE_NUM_CLASSES; class++) {
    int64_t capacity = fe_class_capacity(class);
    CHECK(capacity % 64 == 0 && fe_class_of(capacity) == class);
    CHECK(class == 0 || fe_class_of(fe_class_capacity(class - 1) + 1) == class);
    // At most an eighth is wasted.
    CHECK(class < 8 || capacity - fe_class_capacity(class - 1) <= capacity / 8);
  }
  CHECK(fe_class_capacity(FE_NUM_CLASSES - 1) == FE_MAX_BLOCK);
  // Of large blocks at most a 64th is wasted, and they stay in their class.
  for (int64_t bytes = FE_CLASS_BLOCKS - 100; bytes < 4 * FE_CLASS_BLOCKS; bytes += 977) {
    int64_t capacity = fe_capacity_for(bytes);
    CHECK(capacity >= bytes && capacity % 64 == 0 && fe_class_of(capacity) == fe_class_of(bytes));
    CHECK(bytes <= FE_CLASS_BLOCKS || capacity - bytes <= bytes / 64);
  }
  CHECK(fe_capacity_for(FE_MAX_BLOCK) == FE_MAX_BLOCK);
}

// Blocks of one class are not all large enough.
static void large(struct futhark_context *ctx) {
  fe_pool_trim(&ctx->pool);
  struct fe_mem a = {0}, b = {0};
  const int64_t small = 9 * FE_CLASS_BLOCKS / 8 - 4096, more = 9 * FE_CLASS_BLOCKS / 8;
  CHECK(fe_class_of(small) == fe_class_of(more));
  CHECK(fe_alloc(ctx, &a, more) == 0 && fe_alloc(ctx, &b, small) == 0);
  unsigned char *data = a.data;
  fe_free(ctx, &a);
  fe_free(ctx, &b);
  int64_t before = allocations;
  CHECK(fe_alloc(ctx, &a, more) == 0 && a.data == data && allocations == before);
  CHECK(fe_alloc(ctx, &b, small) == 0 && allocations == before);
  fe_free(ctx, &a);
  fe_free(ctx, &b);
}

static void reuse(struct futhark_context *ctx) {
  struct fe_mem a = {0}, b = {0}, view = {0};
  int64_t before = allocations;
  CHECK(fe_alloc(ctx, &a, 1000) == 0 && allocations == before + 1);
  CHECK((uintptr_t)a.data % 64 == 0 && a.block->capacity >= 1000);
  unsigned char *data = a.data;
  // The same again, or less, is free.
  CHECK(fe_alloc(ctx, &a, 1000) == 0 && a.data == data);
  CHECK(fe_alloc(ctx, &a, 0) == 0 && a.data == data && allocations == before + 1);
  // What others see is not taken.
  fe_share(ctx, &b, &a, 64);
  CHECK(b.data == a.data + 64 && a.block->refs == 2);
  CHECK(fe_alloc(ctx, &a, 1000) == 0 && a.data != data && b.block->refs == 1);
  // A view of the middle of a block is no block of its own.
  CHECK(fe_alloc(ctx, &b, 10) == 0 && b.data == fe_block_data(b.block));
  fe_share(ctx, &view, &a, 0);
  fe_share(ctx, &view, &view, 8);
  CHECK(view.data == a.data + 8 && a.block->refs == 2);
  fe_free(ctx, &a);
  CHECK(a.data == NULL && a.block == NULL && view.block->refs == 1);
  memset(view.data, 1, 900);
  fe_free(ctx, &view);
  fe_free(ctx, &view);
  // Freed blocks come back, also for a size a little smaller.
  before = allocations;
  CHECK(fe_alloc(ctx, &a, 990) == 0 && allocations == before);
  fe_free(ctx, &a);
  fe_free(ctx, &b);
  // Memory of others is borrowed.
  unsigned char foreign[64] = {0};
  struct fe_mem borrowed = {foreign, NULL};
  fe_share(ctx, &a, &borrowed, 4);
  CHECK(a.data == foreign + 4 && a.block == NULL);
  CHECK(fe_alloc(ctx, &a, 4) == 0 && a.block != NULL);
  fe_free(ctx, &a);
}

// The pool, with exact numbers.
static struct fe_pool *settled(struct futhark_context *ctx) {
  fe_pool_settle(&ctx->pool);
  return &ctx->pool;
}

static void counting(struct futhark_context *ctx) {
  CHECK(settled(ctx)->used == 0);
  fe_pool_trim(&ctx->pool);
  CHECK(settled(ctx)->kept == 0);
  ctx->pool.peak = 0;
  struct fe_mem a = {0}, b = {0};
  CHECK(fe_alloc(ctx, &a, 1 << 20) == 0 && fe_alloc(ctx, &b, 1 << 20) == 0);
  CHECK(settled(ctx)->used == 2 << 20 && settled(ctx)->peak == 2 << 20);
  fe_free(ctx, &a);
  CHECK(settled(ctx)->used == 1 << 20 && settled(ctx)->kept == 1 << 20);
  CHECK(fe_alloc(ctx, &a, 1 << 20) == 0 && settled(ctx)->kept == 0 && settled(ctx)->peak == 2 << 20);
  fe_free(ctx, &a);
  fe_free(ctx, &b);
  CHECK(settled(ctx)->used == 0 && settled(ctx)->kept == 2 << 20 && settled(ctx)->peak == 2 << 20);
  // Many sizes, one after another: no more is kept than was used.
  for (int64_t bytes = 1 << 10; bytes < 3 << 20; bytes += bytes / 4) {
    CHECK(fe_alloc(ctx, &a, bytes) == 0);
    fe_free(ctx, &a);
    CHECK(settled(ctx)->kept <= ctx->pool.peak + FE_SLACK + FE_COUNTED_ALONE);
  }
}

// While most of the memory is in use, small blocks of several sizes come and go: none of them goes back to the system.
static void plateau(struct futhark_context *ctx) {
  fe_pool_trim(&ctx->pool);
  ctx->pool.peak = settled(ctx)->used;
  struct fe_mem large = {0}, small = {0};
  CHECK(fe_alloc(ctx, &large, 1 << 22) == 0);
  int64_t before = 0;
  for (int round = 0; round < 100; round++) {
    for (int64_t bytes = 100; bytes < 100000; bytes *= 3) {
      CHECK(fe_alloc(ctx, &small, bytes) == 0);
      fe_free(ctx, &small);
    }
    before = round == 0 ? allocations : before;
  }
  CHECK(allocations == before);
  fe_free(ctx, &large);
}

static void exhaustion(struct futhark_context *ctx) {
  struct fe_mem a = {0};
  int errors = ctx->errors;
  CHECK(fe_alloc(ctx, &a, -1) == FUTHARK_OUT_OF_MEMORY && a.data == NULL && ctx->errors == errors + 1);
  CHECK(fe_alloc(ctx, &a, INT64_MAX) == FUTHARK_OUT_OF_MEMORY);
  CHECK(fe_alloc(ctx, &a, fe_bytes(INT64_MAX / 2, 8)) == FUTHARK_OUT_OF_MEMORY);
  CHECK(fe_bytes(-1, 8) < 0 && fe_bytes(0, 8) == 0 && fe_bytes(3, 8) == 24);
  // Nothing can be had, except what is kept.
  CHECK(fe_alloc(ctx, &a, 5000) == 0);
  fe_free(ctx, &a);
  allowed = 0;
  CHECK(fe_alloc(ctx, &a, 5000) == 0);
  CHECK(fe_alloc(ctx, &a, 50000000) == FUTHARK_OUT_OF_MEMORY && a.block == NULL);
  // What was kept was given back before that.
  CHECK(settled(ctx)->kept == 0 && settled(ctx)->used == 0);
  allowed = INT64_MAX;
  CHECK(fe_alloc(ctx, &a, 50000000) == 0);
  fe_free(ctx, &a);
}

#ifdef FE_MULTICORE
static void *churn(void *argument) {
  struct futhark_context *ctx = argument;
  struct fe_mem mems[8] = {{0}};
  unsigned state = (unsigned)(uintptr_t)pthread_self();
  for (int i = 0; i < 20000; i++) {
    state = state * 1664525u + 1013904223u;
    struct fe_mem *mem = &mems[state >> 29];
    if ((state >> 16) % 3 == 0) {
      fe_free(ctx, mem);
    } else {
      int64_t bytes = 1 + (state >> 8) % ((state >> 20) % 7 == 0 ? 600000 : 3000);
      CHECK(fe_alloc(ctx, mem, bytes) == 0);
      mem->data[0] = (unsigned char)i;
      mem->data[bytes - 1] = (unsigned char)i;
    }
  }
  for (int i = 0; i < 8; i++) {
    fe_free(ctx, &mems[i]);
  }
  return NULL;
}

static void threads(struct futhark_context *ctx) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    CHECK(pthread_create(&threads[i], NULL, churn, ctx) == 0);
  }
  for (int i = 0; i < 4; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  CHECK(settled(ctx)->used == 0 && settled(ctx)->peak > 0);
}
#endif

int main(void) {
  struct futhark_context *ctx = calloc(1, sizeof *ctx);
  CHECK(ctx != NULL);
  fe_pool_init(&ctx->pool);
  classes();
  reuse(ctx);
  large(ctx);
  counting(ctx);
  plateau(ctx);
  exhaustion(ctx);
#ifdef FE_MULTICORE
  threads(ctx);
#endif
  fe_pool_free(&ctx->pool);
  CHECK(ctx->pool.kept == 0 && ctx->pool.used == 0);
  free(ctx);
  printf("done\n");
  return 0;
}
