// Tests of the scheduler, one for each name: `scheduler_test NAME`. Run by tests/scheduler.rs, under sanitizers.
//
// Iterations write without atomics to places of their own, so that the thread sanitizer sees two threads that
// execute the same iteration or use the same worker's number, and results that are read too early.

#include "fake_context.h"

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);             \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

struct test {
  struct futhark_context_config cfg;
  struct futhark_context ctx;
  // Iterations that each worker has executed.
  struct { int64_t count; char pad[56]; } by_worker[16];
};

static void start(struct test *t, int threads) {
  memset(t, 0, sizeof *t);
  t->cfg.num_threads = threads;
  t->ctx.cfg = &t->cfg;
  CHECK(fe_scheduler_init(&t->ctx) == 0);
  CHECK(threads == 0 || fe_num_workers(&t->ctx) == threads);
}

static void finish(struct test *t) {
  fe_scheduler_free(&t->ctx);
  CHECK(t->ctx.scheduler == NULL);
}

static void count(struct futhark_context *ctx, int64_t iterations) {
  struct test *t = (struct test *)((char *)ctx - offsetof(struct test, ctx));
  t->by_worker[fe_worker(ctx)].count += iterations;
}

static int busy_workers(const struct test *t) {
  int busy = 0;
  for (int i = 0; i < 16; i++) {
    busy += t->by_worker[i].count > 0;
  }
  return busy;
}

static void work(uint64_t ns) {
  if (ns > 0) {
    uint64_t begin = fe_nanoseconds();
    while (fe_nanoseconds() - begin < ns) {
    }
  }
}

struct loop {
  uint64_t ns;        // the time of an iteration
  int unbalanced;     // ... times 1000 in the last part
  int64_t n, bad;     // from here on, iterations fail, if this is not negative
  int32_t *marks;
  int64_t calls;      // for loops on one thread only
  int code;
};

static int mark(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  struct loop *loop = env;
  CHECK(0 <= lo && lo < hi && hi <= loop->n && chunk == 0);
  count(ctx, hi - lo);
  for (int64_t i = lo; i < hi; i++) {
    work(loop->unbalanced && i > loop->n / 16 * 15 ? 1000 * loop->ns : loop->ns);
    loop->marks[i]++;
    if (loop->bad >= 0 && i >= loop->bad) {
      return loop->code;
    }
  }
  return 0;
}

static void check_marks(struct loop *loop, int32_t expected) {
  for (int64_t i = 0; i < loop->n; i++) {
    CHECK(loop->marks[i] == expected);
  }
}

static void each_iteration_runs_once(void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 7, 63, 64, 65, 1000, 100003};
  static const int threads[] = {1, 2, 3, 7, 0};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    struct test test;
    start(&test, threads[t]);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      int64_t n = sizes[s];
      struct loop loop = {n > 1000 ? 0 : 2000, 0, n, -1, calloc((size_t)n + 1, sizeof(int32_t)), 0, 0};
      for (int run = 1; run <= 3; run++) {
        CHECK(fe_parallel_for(&test.ctx, (int)s, mark, &loop, n) == 0);
        check_marks(&loop, run);
      }
      free(loop.marks);
    }
    finish(&test);
  }
}

static void unbalanced_loops_use_all_workers(void) {
  struct test test;
  start(&test, 4);
  struct loop loop = {200, 1, 4096, -1, calloc(4096, sizeof(int32_t)), 0, 0};
  int runs = 0;
  // Another process may have the cores for a while.
  while (busy_workers(&test) < 4 && runs < 50) {
    CHECK(fe_parallel_for(&test.ctx, 0, mark, &loop, loop.n) == 0);
    runs++;
  }
  check_marks(&loop, runs);
  CHECK(busy_workers(&test) == 4);
  free(loop.marks);
  finish(&test);
}

// Three levels: each iteration of the first two has a loop inside.
struct nest {
  int level;
  int64_t place, sizes[3];
  int64_t *sums, bad;
  uint64_t ns;
};

// Tasks on the stack of this thread, and how many there may be. A waiting worker only takes ranges of regions that
// are nested as deeply as the one it waits for, so their depths increase; each may have sequential loops in it.
static _Thread_local int live_tasks;
static int most_live_tasks = 9;

static int nest(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  struct nest *outer = env;
  (void)chunk;
  live_tasks++;
  CHECK(live_tasks <= most_live_tasks);
  int error = 0;
  for (int64_t i = lo; i < hi && error == 0; i++) {
    struct nest inner = *outer;
    inner.place = outer->place * outer->sizes[outer->level] + i;
    if (outer->level == 2) {
      count(ctx, 1);
      work(outer->ns);
      outer->sums[inner.place] += inner.place;
      error = outer->bad >= 0 && inner.place >= outer->bad ? 7 : 0;
    } else {
      inner.level++;
      error = fe_parallel_for(ctx, 10 + inner.level, nest, &inner, inner.sizes[inner.level]);
    }
  }
  live_tasks--;
  return error;
}

static void run_nest(struct test *test, int64_t a, int64_t b, int64_t c, uint64_t ns, int64_t bad) {
  struct nest top = {0, 0, {a, b, c}, calloc((size_t)(a * b * c), sizeof(int64_t)), bad, ns};
  int error = fe_parallel_for(&test->ctx, 10, nest, &top, a);
  CHECK(error == (bad < 0 ? 0 : 7));
  int64_t executed = 0;
  for (int64_t i = 0; i < a * b * c; i++) {
    CHECK(top.sums[i] == i || bad >= 0);
    executed += top.sums[i] > 0;
  }
  if (bad >= 0) {
    CHECK(executed < a * b * c / 2);
  }
  free(top.sums);
}

static void nested_loops(void) {
  for (int threads = 1; threads <= 7; threads += 2) {
    struct test test;
    start(&test, threads);
    for (int run = 0; run < 3; run++) {
      run_nest(&test, 2, 3, 100, 10000, -1);
      run_nest(&test, 100, 3, 2, 10000, -1);
      run_nest(&test, 6, 6, 6, 30000, -1);
      run_nest(&test, 30, 30, 30, 0, -1);
      run_nest(&test, 1, 1, 1000, 2000, -1);
    }
    finish(&test);
  }
}

static void stacks_are_bounded_by_nesting(void) {
  struct test test;
  start(&test, 8);
  for (int run = 0; run < 4; run++) {
    run_nest(&test, 10, 10, 10, 50000, -1);
    // By now all three levels are known to be long, so that each has a depth of its own.
    most_live_tasks = 3;
  }
  finish(&test);
}

static void errors_stop_nested_loops(void) {
  struct test test;
  start(&test, 4);
  for (int run = 0; run < 5; run++) {
    run_nest(&test, 10, 10, 100, 20000, 5);
    run_nest(&test, 2, 2, 20, 1000, -1);
  }
  finish(&test);
}

static void errors_stop_loops(void) {
  struct test test;
  start(&test, 3);
  struct loop loop = {10000, 0, 20000, 0, NULL, 0, 5};
  for (int run = 0; run < 10; run++) {
    loop.marks = calloc((size_t)loop.n, sizeof(int32_t));
    loop.bad = run * 100;
    CHECK(fe_parallel_for(&test.ctx, 0, mark, &loop, loop.n) == 5);
    int64_t executed = 0;
    for (int64_t i = 0; i < loop.n; i++) {
      CHECK(loop.marks[i] <= 1);
      executed += loop.marks[i];
    }
    // Each worker sees its own error before it goes on.
    CHECK(executed >= 1 && executed <= loop.bad + 3);
    free(loop.marks);
  }
  finish(&test);
}

static int call(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  struct loop *loop = env;
  (void)chunk;
  CHECK(lo == 0 && hi == loop->n && fe_worker(ctx) == 0);
  loop->calls++;
  return 0;
}

static int mark_and_count(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  struct loop *loop = env;
  if (lo == 0 && hi == loop->n) {
    // Only the thread that begins a loop can get all of it.
    loop->calls++;
  }
  return mark(ctx, env, chunk, lo, hi);
}

// Whether nearly all loops of a context were one call: all but those that were interrupted and seemed to be slow.
static bool nearly_all_are_one_call(void) {
  struct test test;
  start(&test, 4);
  struct loop loop = {0, 0, 0, -1, calloc(4, sizeof(int32_t)), 0, 0};
  enum { RUNS = 100000 };
  for (int run = 0; run < RUNS; run++) {
    loop.n = run % 4 + 1;
    CHECK(fe_parallel_for(&test.ctx, 3, mark_and_count, &loop, loop.n) == 0);
  }
  for (int64_t i = 0; i < 4; i++) {
    CHECK(loop.marks[i] == RUNS / 4 * (4 - i));
  }
  free(loop.marks);
  finish(&test);
  return loop.calls > RUNS / 10 * 9;
}

static void small_loops_are_one_call(void) {
  // On a busy machine a long interruption can make loops look slow for a while, so a few contexts are tried.
  bool right = false;
  for (int attempt = 0; attempt < 5 && !right; attempt++) {
    right = nearly_all_are_one_call();
  }
#ifndef __SANITIZE_THREAD__
  // With the thread sanitizer even the shortest loop is slow; it looks for races only.
  CHECK(right);
#endif
}

static void one_thread_means_one_call(void) {
  struct test test;
  start(&test, 1);
  struct loop loop = {0, 0, 1000000000000, -1, NULL, 0, 0};
  for (int run = 0; run < 10; run++) {
    CHECK(fe_parallel_for(&test.ctx, 0, call, &loop, loop.n) == 0);
    CHECK(fe_chunks(&test.ctx, 1, loop.n) == 1);
    CHECK(fe_parallel_chunks(&test.ctx, 1, call, &loop, loop.n, 1) == 0);
  }
  CHECK(loop.calls == 20 && !test.ctx.scheduler->started);
  finish(&test);
}

struct chunked {
  int64_t lo[64], hi[64];
  int times[64];
  uint64_t ns;
  int bad;
};

static int note_chunk(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  struct chunked *chunked = env;
  count(ctx, 1);
  work(chunked->ns);
  chunked->lo[chunk] = lo;
  chunked->hi[chunk] = hi;
  chunked->times[chunk]++;
  return chunked->bad >= 0 && chunk >= chunked->bad ? 9 : 0;
}

static void each_chunk_runs_once(void) {
  static const int64_t sizes[] = {0, 1, 5, 64, 1000, INT64_MAX / 2, INT64_MAX};
  for (int threads = 1; threads <= 7; threads += 3) {
    struct test test;
    start(&test, threads);
    for (int s = 0; s < 7; s++) {
      for (int chunks = 1; chunks <= 64; chunks += 1 + chunks / 4) {
        for (int slow = 0; slow < 3; slow++) {
          struct chunked c = {.ns = slow * 2000ull, .bad = -1};
          int64_t before = fe_chunks(&test.ctx, s, sizes[s]);
          CHECK(before >= 1 && before <= FE_CHUNKS_OF_THREAD * threads && (before == 1 || before <= sizes[s]));
          CHECK(fe_parallel_chunks(&test.ctx, s, note_chunk, &c, sizes[s], chunks) == 0);
          for (int i = 0; i < chunks; i++) {
            CHECK(c.times[i] == 1 && c.lo[i] == (i == 0 ? 0 : c.hi[i - 1]));
            CHECK(c.hi[i] == (int64_t)((__int128)sizes[s] * (i + 1) / chunks));
          }
        }
      }
    }
    struct chunked c = {.ns = 100000, .bad = 2};
    CHECK(fe_parallel_chunks(&test.ctx, 10, note_chunk, &c, 64, 64) == 9);
    int executed = 0;
    for (int i = 0; i < 64; i++) {
      executed += c.times[i];
    }
    CHECK(executed >= 1 && executed <= 2 + threads);
    finish(&test);
  }
}

static void chunks_follow_the_time(void) {
  struct test test;
  start(&test, 4);
  struct chunked slow = {.ns = 1000000, .bad = -1};
  for (int run = 0; run < 3; run++) {
    CHECK(fe_parallel_chunks(&test.ctx, 0, note_chunk, &slow, 1000, 4) == 0);
  }
  CHECK(fe_chunks(&test.ctx, 0, 1000) == FE_CHUNKS_OF_THREAD * 4);
  struct chunked quick = {.ns = 0, .bad = -1};
  for (int run = 0; run < 100; run++) {
    CHECK(fe_parallel_chunks(&test.ctx, 1, note_chunk, &quick, 1000000000, 4) == 0);
  }
  int ones = 0;
  for (int run = 0; run < 64; run++) {
    ones += fe_chunks(&test.ctx, 1, 1000) == 1;
  }
  CHECK(ones >= 60);
  finish(&test);
}

static void loops_that_have_become_slower_are_parallel(void) {
  struct test test;
  start(&test, 2);
  struct loop loop = {0, 0, 200, -1, calloc(200, sizeof(int32_t)), 0, 0};
  int runs = 0;
  for (; runs < 1000; runs++) {
    CHECK(fe_parallel_for(&test.ctx, 0, mark, &loop, loop.n) == 0);
  }
  memset(test.by_worker, 0, sizeof test.by_worker);
  loop.ns = 100000;
  for (int slow = 0; slow < 20 && busy_workers(&test) < 2; slow++, runs++) {
    CHECK(fe_parallel_for(&test.ctx, 0, mark, &loop, loop.n) == 0);
  }
  CHECK(busy_workers(&test) == 2);
  check_marks(&loop, runs);
  free(loop.marks);
  finish(&test);
}

static void *user_thread(void *arg) {
  struct test test;
  start(&test, (int)(intptr_t)arg);
  CHECK(fe_worker(&test.ctx) == 0);
  for (int run = 0; run < 5; run++) {
    run_nest(&test, 5, 7, 40, 3000, -1);
    run_nest(&test, 30, 3, 30, 0, -1);
  }
  finish(&test);
  return NULL;
}

static void contexts_in_several_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) {
    CHECK(pthread_create(&threads[i], NULL, user_thread, (void *)(intptr_t)(i + 2)) == 0);
  }
  for (int i = 0; i < 3; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
}

struct turn {
  struct test *test;
  pthread_mutex_t lock;
};

static void *turns(void *arg) {
  struct turn *turn = arg;
  for (int run = 0; run < 20; run++) {
    pthread_mutex_lock(&turn->lock);
    run_nest(turn->test, 4, 4, 40, 3000, -1);
    pthread_mutex_unlock(&turn->lock);
  }
  return NULL;
}

static void one_context_in_turns(void) {
  struct test test;
  start(&test, 3);
  struct turn turn = {&test, PTHREAD_MUTEX_INITIALIZER};
  pthread_t other;
  CHECK(pthread_create(&other, NULL, turns, &turn) == 0);
  turns(&turn);
  CHECK(pthread_join(other, NULL) == 0);
  finish(&test);
}

static void contexts_come_and_go(void) {
  for (int run = 0; run < 100; run++) {
    struct test test;
    start(&test, run % 5);
    if (run % 3 != 0) {
      run_nest(&test, 3, 2, 20, 2000, -1);
    }
    finish(&test);
    fe_scheduler_free(&test.ctx);
  }
}

static void an_idle_context_sleeps(void) {
  struct test test;
  start(&test, 4);
  run_nest(&test, 4, 4, 40, 20000, -1);
  CHECK(test.ctx.scheduler->started);
  // Enough time to give up looking for work, however busy the machine is.
  usleep(300000);
  clock_t before = clock();
  usleep(300000);
  CHECK((double)(clock() - before) / CLOCKS_PER_SEC < 0.02);
  CHECK(atomic_load(&test.ctx.scheduler->sleeping) == 3 && atomic_load(&test.ctx.scheduler->spinning) == 0);
  CHECK(atomic_load(&test.ctx.scheduler->hungry) == 3);
  run_nest(&test, 4, 4, 40, 20000, -1);
  finish(&test);
}

static int seem_stolen(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)env, (void)chunk, (void)lo, (void)hi;
  fe_self(ctx->scheduler)->stolen++;
  return 0;
}

static void pieces_that_were_shared_are_not_measured(void) {
  struct test test;
  start(&test, 4);
  for (int run = 0; run < 100; run++) {
    CHECK(fe_parallel_for(&test.ctx, 0, seem_stolen, NULL, 8) == 0);
  }
  CHECK(fe_site_ticks(&test.ctx.scheduler->sites[0]) >= 0.9 * test.ctx.scheduler->worthwhile);
  finish(&test);
}

static void estimates_are_not_poisoned_by_nesting(void) {
  struct test test;
  start(&test, 4);
  for (int run = 0; run < 4; run++) {
    run_nest(&test, 6, 4, 100, 20000, -1);
  }
  double us = test.ctx.scheduler->worthwhile / 20;
  double inner = fe_site_ticks(&test.ctx.scheduler->sites[12]) / us;
  double outer = fe_site_ticks(&test.ctx.scheduler->sites[11]) / us;
  // An innermost iteration takes 20 us, but is interrupted now and then.
  CHECK(inner > 10 && inner < 20000);
  CHECK(outer >= 15);
  finish(&test);
}

static void portions_are_all_of_a_region(void) {
  for (int threads = 2; threads <= 16; threads++) {
    struct test test;
    start(&test, threads);
    struct fe_scheduler *s = test.ctx.scheduler;
    for (int64_t n = threads; n < 3000; n += n / 7 + 1) {
      struct fe_range rest = {NULL, 5, 5 + n, 1}, portion;
      fe_give_portions(s, &rest);
      CHECK(rest.lo == 5 && rest.hi > 5 && rest.hi <= 5 + n);
      int64_t next = rest.hi;
      for (int k = 1; k < threads; k++) {
        // Those who wait for what is inside of something do not begin with something else.
        CHECK(!fe_portion_take(&s->workers[k].portion, 2, &portion));
        if (fe_portion_take(&s->workers[k].portion, 1, &portion)) {
          CHECK(portion.lo == next && portion.hi > portion.lo && portion.depth == 1);
          next = portion.hi;
        }
        CHECK(!fe_portion_take(&s->workers[k].portion, 1, &portion));
      }
      CHECK(next == 5 + n);
    }
    finish(&test);
  }
}

int main(int argc, char **argv) {
  static const struct { const char *name; void (*run)(void); } tests[] = {
#define TEST(name) {#name, name}
    TEST(each_iteration_runs_once), TEST(unbalanced_loops_use_all_workers), TEST(nested_loops),
    TEST(errors_stop_nested_loops), TEST(errors_stop_loops), TEST(small_loops_are_one_call),
    TEST(one_thread_means_one_call), TEST(each_chunk_runs_once), TEST(chunks_follow_the_time),
    TEST(loops_that_have_become_slower_are_parallel), TEST(contexts_in_several_threads),
    TEST(one_context_in_turns), TEST(contexts_come_and_go), TEST(an_idle_context_sleeps),
    TEST(estimates_are_not_poisoned_by_nesting), TEST(pieces_that_were_shared_are_not_measured),
    TEST(stacks_are_bounded_by_nesting), TEST(portions_are_all_of_a_region),
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
      tests[i].run();
      return 0;
    }
  }
  fprintf(stderr, "no such test\n");
  return 2;
}
