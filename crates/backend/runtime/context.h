// Configurations and contexts: everything that a running program knows.

struct futhark_context_config {
  bool debugging;
  bool profiling;
  bool logging;
  bool in_use; // by a context
  bool abandoned; // by its owner, while a context uses it: that frees it
  char *cache_file; // of compiled kernels; nothing is cached on processors, but the setting exists everywhere
#ifdef FE_MULTICORE
  int num_threads;
#endif
#ifdef FE_GPU
  struct fe_gpu_config gpu;
#endif
  int64_t tuning[]; // the parameters of the program; zero means the default
};

// What a threshold was compared with.
struct fe_comparison {
  int param;
  int64_t value;
};

struct futhark_context {
  struct futhark_context_config *cfg;
  struct fe_pool pool;
  struct fe_constants *constants; // NULL before they are computed
  bool ready; // making it has succeeded
  volatile int cancelled; // what is called now should stop; set by other threads and signal handlers
  char *error;
  FILE *log;
  bool debugging;
  bool logging;
  bool profiling;
  bool profiling_paused;
  int64_t born;
  struct fe_profile *profile; // NULL if not `profiling`
  struct fe_comparison *comparisons; // each of them once
  int64_t num_comparisons;
  int64_t max_comparisons;
#ifdef FE_MULTICORE
  pthread_mutex_t lock; // of `error` and of the events
  struct fe_scheduler *scheduler;
  struct fe_locks locks;
#endif
#ifdef FE_GPU
  struct fe_gpu gpu;
#endif
};

FE_UNUSED static struct fe_pool *fe_pool_of(struct futhark_context *ctx) { return &ctx->pool; }

// The last error is what users ask for, so a new call begins without one.
FE_UNUSED static void fe_forget_error(struct futhark_context *ctx) {
  free(ctx->error);
  ctx->error = NULL;
}

// Whether anything can be done with the context: users may not have asked whether making it has failed.
FE_SHARED int fe_usable(struct futhark_context *ctx);

#ifdef FE_CUDA
// Kernels that wait to be launched together are launched.
FE_SHARED void fe_submit(struct futhark_context *ctx);
#endif

// The start of a call of an entry point.
FE_UNUSED static int fe_begin_call(struct futhark_context *ctx) {
  if (ctx->ready) {
    fe_forget_error(ctx);
  }
  if (ctx->profile != NULL) {
    ctx->profile->num_open = 0;
    ctx->profile->ignored = 0;
  }
  return fe_usable(ctx);
}

// Somebody wants the call in progress to stop. Asked where that costs nothing: before pieces of parallel loops, kernels, and new blocks.
FE_COLD FE_SHARED int fe_stop(struct futhark_context *ctx);

// The end of a call: nobody waits, but the device begins with all that it is to do.
FE_UNUSED static void fe_end_call(struct futhark_context *ctx) {
#ifdef FE_CUDA
  fe_submit(ctx);
#else
  (void)ctx;
#endif
}

// The value of a tuning parameter.
FE_SHARED int64_t fe_tuning_param(struct futhark_context *ctx, int i, int64_t standard);

// Remembers what a threshold was compared with, for whoever tunes the program. Values that there is no room for are lost.
FE_COLD FE_SHARED void fe_compare(struct futhark_context *ctx, int param, int64_t value);

// A value that a threshold is about to be compared with.
FE_UNUSED static inline int64_t fe_compared(struct futhark_context *ctx, int param, int64_t value) {
  if (ctx->logging || ctx->profiling) {
    fe_compare(ctx, param, value);
  }
  return value;
}

// A call has failed with this code.
FE_SHARED int fe_call_failed(struct futhark_context *ctx, int code);

// When something begins that may become an event.
FE_UNUSED static inline int64_t fe_event_start(struct futhark_context *ctx) {
  return ctx->profiling ? fe_now() : 0;
}

// A call of an entry point ends.
FE_UNUSED static void fe_event_end(struct futhark_context *ctx, const char *name, int64_t start) {
  if (ctx->profiling) {
    fe_call_end(ctx, name, start);
  }
}
