// Making and ending contexts, errors, the log, tuning parameters.

#ifdef FE_MULTICORE
// Makes ctx->scheduler, for ctx->cfg->num_threads threads (0: as many as there are cores). No thread is started yet.
static int fe_scheduler_init(struct futhark_context *ctx);
// Ends the threads. Harmless if there is no scheduler.
static void fe_scheduler_free(struct futhark_context *ctx);
#endif

#ifdef FE_GPU
// The device of a context, from gpu/.
static int fe_gpu_init(struct futhark_context *ctx);
static void fe_gpu_free(struct futhark_context *ctx);
static void fe_gpu_settle(struct futhark_context *ctx);
static void fe_gpu_abandon(struct futhark_context *ctx);
// Clears the caches of the device, and begins to count anew.
static void fe_gpu_forget(struct futhark_context *ctx);
#endif

static void fe_context_lock(struct futhark_context *ctx) {
#ifdef FE_MULTICORE
  pthread_mutex_lock(&ctx->lock);
#else
  (void)ctx;
#endif
}

static void fe_context_unlock(struct futhark_context *ctx) {
#ifdef FE_MULTICORE
  pthread_mutex_unlock(&ctx->lock);
#else
  (void)ctx;
#endif
}

// Errors

// A formatted string in memory of its own; NULL if there is no memory.
static char *fe_format(const char *prefix, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t before = strlen(prefix);
  char *text = length < 0 ? NULL : malloc(before + (size_t)length + 1);
  if (text != NULL) {
    memcpy(text, prefix, before);
    vsnprintf(text + before, (size_t)length + 1, format, arguments);
  }
  return text;
}

FE_COLD FE_SHARED int fe_fail(struct futhark_context *ctx, int code, const char *format, ...) {
  fe_context_lock(ctx);
  if (ctx->error == NULL) {
    va_list arguments;
    va_start(arguments, format);
    ctx->error = fe_format("Error: ", format, arguments);
    va_end(arguments);
  }
  fe_context_unlock(ctx);
  return code;
}

FE_COLD FE_SHARED int fe_stop(struct futhark_context *ctx) {
  return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the call was interrupted");
}

void futhark_context_cancel(struct futhark_context *ctx, int flag) {
  ctx->cancelled = flag;
}

FE_SHARED int fe_usable(struct futhark_context *ctx) {
  if (ctx->ready) {
    return FUTHARK_SUCCESS;
  }
  return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "this context cannot be used, because making it has failed");
}

char *futhark_context_get_error(struct futhark_context *ctx) {
  fe_context_lock(ctx);
  char *error = ctx->error;
  ctx->error = NULL;
  fe_context_unlock(ctx);
  return error;
}

// The log

FE_SHARED void fe_log(struct futhark_context *ctx, const char *format, ...) {
  if (!ctx->logging) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  char *line = fe_format("", format, arguments);
  va_end(arguments);
  if (line != NULL) {
    fprintf(ctx->log, "%s\n", line); // one call, so that lines of several threads stay whole
    free(line);
  }
}

void futhark_context_set_logging_file(struct futhark_context *ctx, FILE *f) { ctx->log = f == NULL ? stderr : f; }

// Configurations

struct futhark_context_config *futhark_context_config_new(void) {
  size_t params = (size_t)fe_program.num_tuning_params * sizeof(int64_t);
  return calloc(1, sizeof(struct futhark_context_config) + params);
}

void futhark_context_config_free(struct futhark_context_config *cfg) {
  if (cfg != NULL && cfg->in_use) {
    cfg->abandoned = true;
  } else if (cfg != NULL) {
#ifdef FE_GPU
    fe_gpu_config_free(&cfg->gpu);
#endif
    free(cfg->cache_file);
    free(cfg);
  }
}

void futhark_context_config_set_debugging(struct futhark_context_config *cfg, int flag) {
  cfg->debugging = flag != 0;
}

void futhark_context_config_set_profiling(struct futhark_context_config *cfg, int flag) {
  cfg->profiling = flag != 0;
}

void futhark_context_config_set_logging(struct futhark_context_config *cfg, int flag) {
  cfg->logging = flag != 0;
}

void futhark_context_config_set_cache_file(struct futhark_context_config *cfg, const char *f) {
  free(cfg->cache_file);
  cfg->cache_file = f == NULL ? NULL : fe_copy_string(f);
}

#ifdef FE_MULTICORE
void futhark_context_config_set_num_threads(struct futhark_context_config *cfg, int n) {
  cfg->num_threads = n;
}
#endif

int futhark_get_tuning_param_count(void) { return fe_program.num_tuning_params; }

const char *futhark_get_tuning_param_name(int i) {
  return i < 0 || i >= fe_program.num_tuning_params ? NULL : fe_program.tuning_names[i];
}

const char *futhark_get_tuning_param_class(int i) {
  return i < 0 || i >= fe_program.num_tuning_params ? NULL : fe_program.tuning_classes[i];
}

// Parameters other than thresholds shape the context, so they are fixed when it is made.
int futhark_context_config_set_tuning_param(struct futhark_context_config *cfg, const char *param_name,
                                            size_t new_value) {
  for (int i = 0; i < fe_program.num_tuning_params; i++) {
    if (strcmp(param_name, fe_program.tuning_names[i]) == 0) {
      bool threshold = strncmp(fe_program.tuning_classes[i], "threshold", strlen("threshold")) == 0;
      if ((cfg->in_use && !threshold) || new_value > (size_t)INT64_MAX) {
        return 1;
      }
      cfg->tuning[i] = (int64_t)new_value;
      return 0;
    }
  }
  return 1;
}

FE_SHARED int64_t fe_tuning_param(struct futhark_context *ctx, int i, int64_t standard) {
  int64_t value = ctx->cfg->tuning[i];
#ifdef FE_GPU
  standard = fe_gpu_standard(&ctx->cfg->gpu, fe_program.tuning_classes[i], standard);
#endif
  return value == 0 ? standard : value;
}

enum { FE_MAX_COMPARISONS = 1 << 14 };

FE_COLD FE_SHARED void fe_compare(struct futhark_context *ctx, int param, int64_t value) {
  // Loops compare the same again and again, so the latest come first.
  for (int64_t i = ctx->num_comparisons - 1; i >= 0; i--) {
    if (ctx->comparisons[i].param == param && ctx->comparisons[i].value == value) {
      return;
    }
  }
  if (ctx->num_comparisons == ctx->max_comparisons && ctx->max_comparisons < FE_MAX_COMPARISONS) {
    int64_t more = ctx->max_comparisons == 0 ? 16 : 2 * ctx->max_comparisons;
    struct fe_comparison *comparisons = realloc(ctx->comparisons, (size_t)more * sizeof *comparisons);
    if (comparisons != NULL) {
      ctx->comparisons = comparisons;
      ctx->max_comparisons = more;
    }
  }
  if (ctx->num_comparisons < ctx->max_comparisons) {
    struct fe_comparison comparison = {param, value};
    ctx->comparisons[ctx->num_comparisons++] = comparison;
    fe_log(ctx, "the threshold %s is compared with %" PRId64, fe_program.tuning_names[param], value);
  }
}

static bool fe_profile_new(struct futhark_context *ctx);
static void fe_profile_clear(struct futhark_context *ctx);
static void fe_profile_free(struct futhark_context *ctx);

// Contexts

struct futhark_context *futhark_context_new(struct futhark_context_config *cfg) {
  struct futhark_context *ctx = cfg == NULL ? NULL : calloc(1, sizeof *ctx);
  if (ctx == NULL) {
    return NULL;
  }
  ctx->cfg = cfg;
  ctx->log = stderr;
  ctx->debugging = cfg->debugging;
  ctx->logging = cfg->logging || cfg->debugging;
  ctx->profiling = cfg->profiling && fe_profile_new(ctx);
  ctx->born = fe_now();
  fe_pool_init(&ctx->pool);
#ifdef FE_MULTICORE
  pthread_mutex_init(&ctx->lock, NULL);
#endif
  if (cfg->in_use) {
    ctx->cfg = NULL; // it belongs to another context
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "a configuration can be used by one context at a time");
    return ctx;
  }
  cfg->in_use = true;
#ifdef FE_GPU
  ctx->pool.ctx = ctx;
  if (fe_gpu_init(ctx) != FUTHARK_SUCCESS) {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "cannot use the device");
    return ctx;
  }
#endif
#ifdef FE_MULTICORE
  if (fe_scheduler_init(ctx) != FUTHARK_SUCCESS) {
    fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "cannot create the thread pool");
    return ctx;
  }
#endif
  ctx->constants = calloc(1, fe_program.constants_size);
  if (ctx->constants == NULL) {
    fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot allocate the constants of the program");
  } else if (fe_program.constants_init(ctx) != FUTHARK_SUCCESS) {
    fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "cannot compute the constants of the program");
  } else {
    ctx->ready = true;
  }
  return ctx;
}

void futhark_context_free(struct futhark_context *ctx) {
  if (ctx == NULL) {
    return;
  }
  if (ctx->constants != NULL) {
    fe_program.constants_free(ctx);
    free(ctx->constants);
  }
#ifdef FE_MULTICORE
  if (ctx->scheduler != NULL) {
    fe_scheduler_free(ctx);
  }
  pthread_mutex_destroy(&ctx->lock);
#endif
  fe_pool_free(&ctx->pool);
#ifdef FE_GPU
  fe_gpu_free(ctx);
#endif
  if (ctx->cfg != NULL) {
    ctx->cfg->in_use = false;
    if (ctx->cfg->abandoned) {
      futhark_context_config_free(ctx->cfg);
    }
  }
  free(ctx->comparisons);
  fe_profile_free(ctx);
  free(ctx->error);
  free(ctx);
}

// On processors every function of the interface has done its work when it returns. A device may still be busy with it.
int futhark_context_sync(struct futhark_context *ctx) {
#ifdef FE_GPU
  return fe_finish(ctx);
#else
  (void)ctx;
  return FUTHARK_SUCCESS;
#endif
}

FE_SHARED int fe_call_failed(struct futhark_context *ctx, int code) {
#ifdef FE_GPU
  fe_gpu_abandon(ctx);
#else
  (void)ctx;
#endif
  return code;
}

// Gives back the memory that is kept, and begins to count anew.
int futhark_context_clear_caches(struct futhark_context *ctx) {
#ifdef FE_GPU
  fe_gpu_settle(ctx);
#endif
  fe_pool_trim(&ctx->pool);
  fe_pool_settle(&ctx->pool);
  ctx->pool.peak = (int64_t)ctx->pool.used;
#ifdef FE_GPU
  fe_gpu_forget(ctx);
#endif
  fe_profile_clear(ctx);
  ctx->num_comparisons = 0;
  return FUTHARK_SUCCESS;
}
