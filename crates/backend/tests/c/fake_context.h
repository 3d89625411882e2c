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
#define FE_NUM_SITES 64
#define FUTHARK_OUT_OF_MEMORY 3

#include "tasks.h"

struct futhark_context_config {
  int num_threads;
};

struct futhark_context {
  struct futhark_context_config *cfg;
  struct fe_scheduler *scheduler;
};

static int fe_fail(struct futhark_context *ctx, int code, const char *format, ...) {
  (void)ctx;
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  return code;
}

#include "clock.h"
#include "cores.h"
#include "deque.h"
#include "portion.h"
#include "pool.h"
#include "scheduler.h"
