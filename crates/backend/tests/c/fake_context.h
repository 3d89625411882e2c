// A context with nothing but what the scheduler needs, for its tests and its benchmark.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FE_MULTICORE
#define FE_SHARED static
#define FUTHARK_OUT_OF_MEMORY 3

#include "tasks.h"

static const struct {
  int num_sites;
} fe_program = {64};

struct futhark_context_config {
  int num_threads;
};

struct futhark_context {
  struct futhark_context_config *cfg;
  struct fe_scheduler *scheduler;
  volatile int cancelled;
  bool profiling;
};

// Nobody wants to know.
static inline int64_t fe_event_start(struct futhark_context *ctx) {
  (void)ctx;
  return 0;
}
static inline void fe_piece_end(struct futhark_context *ctx, int worker, int64_t start) { (void)ctx, (void)worker, (void)start; }

static int fe_fail(struct futhark_context *ctx, int code, const char *format, ...) {
  (void)ctx;
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  return code;
}

static int fe_stop(struct futhark_context *ctx) { return fe_fail(ctx, 2, "stopped\n"); }

#include "clock.c"
#include "cores.c"
#include "deque.c"
#include "portion.c"
#include "pool.c"
#include "scheduler.c"
