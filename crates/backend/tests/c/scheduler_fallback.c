// The interface of the scheduler where there are no threads: everything runs here, in order.

#include "fake_context.h"

struct ranges {
  int64_t next, calls;
  int code;
};

static int in_order(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  struct ranges *ranges = env;
  bool right = lo == ranges->next && lo <= hi && chunk == ranges->calls && fe_worker(ctx) == 0;
  ranges->next = hi;
  ranges->calls++;
  return right ? ranges->code : 1;
}

int main(void) {
  struct futhark_context_config cfg = {8};
  struct futhark_context ctx = {&cfg, NULL, 0, false};
  struct ranges loop = {0, 0, 0}, chunks = {0, 0, 0}, bad = {0, 0, 5}, none = {0, 0, 0};
  bool right = fe_scheduler_init(&ctx) == 0 && fe_num_workers(&ctx) == 1;
  right = right && fe_parallel_for(&ctx, 0, in_order, &loop, 100) == 0 && loop.next == 100 && loop.calls == 1;
  right = right && fe_parallel_for(&ctx, 0, in_order, &none, 0) == 0 && none.calls == 0;
  right = right && fe_chunks(&ctx, 1, 1000000000) == 1;
  right = right && fe_parallel_chunks(&ctx, 1, in_order, &chunks, 100, 7) == 0 && chunks.next == 100 && chunks.calls == 7;
  right = right && fe_parallel_chunks(&ctx, 1, in_order, &bad, 100, 7) == 5 && bad.calls == 1;
  fe_scheduler_free(&ctx);
  return right ? 0 : 1;
}
