// What every other file of the runtime needs: headers of the C library, error codes, and how the runtime and the program
// are linked.
//
// The files whose names end in .h come before the program: types, and functions that are worth inlining. The .c files come
// after it. In a single C file, everything is static or has the prefix of the public API, so that several programs can be
// linked together if only one of them exports that API. There is no mutable global state.
//
// The .c files are the same for all programs of a kind. With FE_SEPARATE they form a separate translation unit, which is
// compiled once and cached; the functions that program and runtime share are then visible to the linker.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // clocks and affinity masks, also under -std=c11
#endif

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef FE_MULTICORE
#include <pthread.h>
#include <stdatomic.h>
#endif
// Arrays are in the memory of a device.
#ifdef FE_GPU
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

// The header that comes with libraries defines these, too, with the same words.
#define FUTHARK_SUCCESS 0
#define FUTHARK_PROGRAM_ERROR 2
#define FUTHARK_OUT_OF_MEMORY 3

#if defined(__GNUC__)
#define FE_UNUSED __attribute__((unused))
#define FE_HIDDEN __attribute__((visibility("hidden"))) // a shared library keeps it to itself
#define FE_COLD __attribute__((cold, noinline))
#define FE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define FE_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define FE_UNUSED
#define FE_HIDDEN
#define FE_COLD
#define FE_PRINTF(text, first)
#define FE_LIKELY(condition) (condition)
#endif

// What the runtime defines and programs use, or the reverse: functions, declarations of data, and its definitions.
#ifdef FE_SEPARATE
#define FE_SHARED FE_HIDDEN
#define FE_SHARED_DATA FE_HIDDEN extern
#define FE_SHARED_DEFINED FE_HIDDEN
#else
#define FE_SHARED FE_UNUSED static
#define FE_SHARED_DATA FE_UNUSED static
#define FE_SHARED_DEFINED static
#endif

struct futhark_context;
struct futhark_context_config;
struct fe_pool;
struct fe_scheduler;

// Records an error and returns its code. The message is what follows "Error: ", without a line break at
// the end. An error that nobody has asked for is kept: what comes later is mostly a consequence.
// May be called by several tasks at once.
FE_COLD FE_PRINTF(3, 4) FE_SHARED int fe_fail(struct futhark_context *ctx, int code, const char *format, ...);

// A line in the log, if there is one.
FE_PRINTF(2, 3) FE_SHARED void fe_log(struct futhark_context *ctx, const char *format, ...);

// The memory of a context.
FE_UNUSED static struct fe_pool *fe_pool_of(struct futhark_context *ctx);

// Nanoseconds since some moment in the past.
FE_UNUSED static int64_t fe_now(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) {
    return 0;
  }
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// A copy of a string in memory of its own; NULL if there is no memory.
FE_UNUSED static char *fe_copy_string(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) {
    memcpy(copy, text, size);
  }
  return copy;
}
