// The interface of the scheduler for generated code. Multicore programs only; comes before context.h, which keeps a
// pointer to the scheduler. The implementation is in clock.c, cores.c, deque.c, portion.c, pool.c and scheduler.c, in this
// order.
//
// A "site" is a place in the program with a parallel operation, numbered from 0 to fe_program.num_sites - 1. For each site
// the context remembers what is known about the time that an iteration takes.

#ifdef FE_MULTICORE

// Whoever has no atomic operations gets a program without threads. _GNU_SOURCE is defined at the start of the
// program; it is needed for the affinity mask.
#ifndef __STDC_NO_ATOMICS__
#define FE_THREADS
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
#endif

// More threads than that are never started.
#define FE_MAX_THREADS 1024

struct futhark_context;
struct fe_scheduler;

// Executes the iterations lo <= i < hi and returns an error code.
typedef int (*fe_task)(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi);

// Runs f over disjoint ranges that cover [0,n), in any order, on any threads; `chunk` is 0. The first error code
// stops the rest as soon as possible and is returned. May be called inside tasks.
FE_SHARED int fe_parallel_for(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n);

// How many chunks a reduction or scan should use: one or a few for each thread.
FE_SHARED int fe_chunks(struct futhark_context *ctx, int site, int64_t n);

// Calls f exactly once for each chunk c (unless an error stops it), with the range [n*c/chunks, n*(c+1)/chunks).
// Should also be called when there is one chunk only, because that is how the time of iterations is learned.
FE_SHARED int fe_parallel_chunks(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n, int chunks);

// The number of the calling thread among those of the context: 0 for the thread that called the API.
FE_SHARED int fe_worker(struct futhark_context *ctx);

// The number of threads of the context: fe_worker() is less.
FE_SHARED int fe_num_workers(struct futhark_context *ctx);

#endif
