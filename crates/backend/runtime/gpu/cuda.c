// Devices accessed through the CUDA driver. After driver.h, library.c and choose.c.
//
// We use the primary context, which everything in the process shares, so that our pointers are valid for other users of
// CUDA. It must be made current on whichever thread calls us.

static const char *fe_cuda_error(struct futhark_context *ctx, int result) {
  const char *text = NULL;
  if (ctx->gpu.driver.cuda.error_string == NULL || ctx->gpu.driver.cuda.error_string(result, &text) != 0 || text == NULL) {
    return "unknown error";
  }
  return text;
}

// What a call of the driver says, as an error code.
static int fe_cuda_check(struct futhark_context *ctx, int result, const char *what) {
  if (FE_LIKELY(result == 0)) {
    return FUTHARK_SUCCESS;
  }
  return fe_fail(ctx, result == FE_CUDA_OUT_OF_MEMORY ? FUTHARK_OUT_OF_MEMORY : FUTHARK_PROGRAM_ERROR,
                 "CUDA cannot %s: %s (error %d)", what, fe_cuda_error(ctx, result), result);
}

static struct fe_cuda *fe_cuda(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  driver->cuda.context_set(driver->context);
  return &driver->cuda;
}

static int fe_cuda_attribute(struct futhark_context *ctx, int attribute) {
  int value = 0;
  ctx->gpu.driver.cuda.device_attribute(&value, attribute, ctx->gpu.driver.device);
  return value;
}

// Opening

#define FE_FIND(name, symbol, parameters)                                                   \
  if (missing == NULL && !fe_library_find(library, symbol, &table->name, sizeof table->name)) { \
    missing = symbol;                                                                       \
  }

static int fe_cuda_find(struct futhark_context *ctx) {
  const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
  char why[256];
  void *library = ctx->gpu.driver.library = fe_library_open(names, why, sizeof why);
  if (library == NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "no CUDA driver found (%s). This program needs an NVIDIA GPU, and the "
                   "driver that provides libcuda.so.1 (on Debian: nvidia-driver, libcuda1).", why);
  }
  struct fe_cuda *table = &ctx->gpu.driver.cuda;
  const char *missing = NULL;
  FE_CUDA_FUNCTIONS(FE_FIND)
  if (missing != NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the CUDA driver is too old: it has no function %s", missing);
  }
  int result = table->init(0);
  if (result != 0) {
    return fe_cuda_check(ctx, result, "start: is there an NVIDIA GPU, and does the driver support it?");
  }
  return FUTHARK_SUCCESS;
}

// The compiler is not a part of the driver: it is in the CUDA toolkit, which may be anywhere.
static int fe_nvrtc_find(struct futhark_context *ctx) {
  struct fe_text paths[2] = {{0}, {0}};
  const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
  for (int i = 0; i < 2; i++) {
    const char *folder = getenv(variables[i]);
    fe_text_words(&paths[i], folder == NULL ? "/usr/local/cuda" : folder);
    fe_text_words(&paths[i], "/lib64/libnvrtc.so");
  }
  const char *const names[] = {"libnvrtc.so",      "libnvrtc.so.13",  "libnvrtc.so.12",  "libnvrtc.so.11.2",
                               paths[0].failed ? "libnvrtc.so" : paths[0].chars,
                               paths[1].failed ? "libnvrtc.so" : paths[1].chars, NULL};
  char why[256];
  void *library = ctx->gpu.driver.compiler_library = fe_library_open(names, why, sizeof why);
  free(paths[0].chars);
  free(paths[1].chars);
  if (library == NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "no compiler for CUDA kernels found (%s). Install the CUDA toolkit (on "
                   "Debian: libnvrtc), or the Python package nvidia-cuda-nvrtc, and add the folder of libnvrtc.so to "
                   "LD_LIBRARY_PATH, or set CUDA_HOME to the folder of the toolkit.", why);
  }
  struct fe_nvrtc *table = &ctx->gpu.driver.nvrtc;
  const char *missing = NULL;
  FE_NVRTC_FUNCTIONS(FE_FIND)
  if (missing != NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the compiler for CUDA kernels, NVRTC, is too old: it has no function %s; "
                   "version 11.2 or later is needed", missing);
  }
  return FUTHARK_SUCCESS;
}
#undef FE_FIND

static int fe_cuda_choose(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int count = 0;
  int code = fe_cuda_check(ctx, driver->cuda.device_count(&count), "list devices");
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  struct fe_candidates *all = calloc(1, sizeof *all);
  if (all == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot list devices");
  }
  all->what = "CUDA device";
  for (int i = 0; i < count && i < FE_MAX_DEVICES; i++) {
    int device = 0;
    if (driver->cuda.device_get(&device, i) == 0) {
      driver->cuda.device_name(all->names[i], sizeof all->names[i] - 1, device);
    }
    all->count++;
  }
  int chosen = all->count == 0 ? -1 : fe_choose(ctx, all, ctx->cfg->gpu.device, 0);
  if (all->count == 0) {
    code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there is no CUDA device");
  } else if (chosen < 0) {
    code = FUTHARK_PROGRAM_ERROR;
  } else {
    memcpy(ctx->gpu.name, all->names[chosen], sizeof ctx->gpu.name);
    code = fe_cuda_check(ctx, driver->cuda.device_get(&driver->device, chosen), "open the device");
  }
  free(all);
  return code;
}

static void fe_cuda_describe(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_driver *driver = &gpu->driver;
  driver->capability = 10 * fe_cuda_attribute(ctx, FE_CUDA_MAJOR) + fe_cuda_attribute(ctx, FE_CUDA_MINOR);
  if (driver->capability < 90 ||
      !fe_library_find(driver->library, "cuLaunchKernelEx", &driver->launch_early, sizeof driver->launch_early)) {
    driver->launch_early = NULL;
  }
  int shared = fe_cuda_attribute(ctx, FE_CUDA_SHARED_PER_BLOCK), more = fe_cuda_attribute(ctx, FE_CUDA_SHARED_PER_BLOCK_OPTIN);
  gpu->limits[FE_BLOCK_SIZE] = fe_cuda_attribute(ctx, FE_CUDA_MAX_THREADS_PER_BLOCK);
  gpu->limits[FE_SHARED_BYTES] = more > shared ? more : shared;
  gpu->limits[FE_UNITS] = fe_cuda_attribute(ctx, FE_CUDA_MULTIPROCESSORS);
  gpu->limits[FE_UNIT_THREADS] = fe_cuda_attribute(ctx, FE_CUDA_THREADS_PER_MULTIPROCESSOR);
  int version = 0, major = 0, minor = 0;
  driver->cuda.driver_version(&version);
  driver->nvrtc.version(&major, &minor);
  static const char *const names[] = {[FE_FLOATS_STRICT] = "strict", [FE_FLOATS_CONTRACTED] = "contracted", [FE_FLOATS_FAST] = "fast"};
  const char *floats = names[fe_program.floats];
  snprintf(gpu->identity, sizeof gpu->identity, "cuda %s sm_%d driver %d nvrtc %d.%d %s%s", gpu->name, driver->capability,
           version, major, minor, floats, ctx->debugging ? " lines" : "");
}

static void fe_batch_init(struct futhark_context *ctx);
static void fe_batch_free(struct futhark_context *ctx);

static int fe_driver_open(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int code = fe_cuda_find(ctx);
  code = code == FUTHARK_SUCCESS ? fe_cuda_choose(ctx) : code;
  code = code == FUTHARK_SUCCESS ? fe_nvrtc_find(ctx) : code;
  if (code == FUTHARK_SUCCESS) {
    fe_cuda_describe(ctx);
    code = fe_cuda_check(ctx, driver->cuda.context_retain(&driver->context, driver->device), "use the device");
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_cuda_check(ctx, fe_cuda(ctx)->stream_create(&driver->stream, 0), "create a stream");
  }
  if (code == FUTHARK_SUCCESS) {
    fe_batch_init(ctx);
  }
  if (code == FUTHARK_SUCCESS && ctx->profiling) {
    code = fe_cuda_check(ctx, driver->cuda.event_create(&driver->base, 0), "create an event");
    if (code == FUTHARK_SUCCESS) {
      code = fe_cuda_check(ctx, driver->cuda.event_record(driver->base, driver->stream), "record an event");
    }
    if (code == FUTHARK_SUCCESS) {
      code = fe_cuda_check(ctx, driver->cuda.stream_wait(driver->stream), "wait for the device");
    }
    driver->base_time = fe_now();
  }
  return code;
}

// The libraries stay loaded: threads of theirs may be running.
static void fe_driver_close(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (driver->context == NULL) {
    return;
  }
  struct fe_cuda *cuda = fe_cuda(ctx);
  fe_batch_free(ctx);
  if (driver->base != NULL) {
    cuda->event_destroy(driver->base);
  }
  for (int i = 0; i < FE_ASKED; i++) {
    if (driver->marks[i] != NULL) {
      cuda->event_destroy(driver->marks[i]);
    }
  }
  if (driver->second != NULL) {
    cuda->stream_destroy(driver->second);
  }
  if (driver->stream != NULL) {
    cuda->stream_destroy(driver->stream);
  }
  cuda->context_release(driver->device);
  driver->context = NULL;
}

static int fe_batch_flush(struct futhark_context *ctx);

FE_SHARED void *fe_foreign_stream(struct futhark_context *ctx) {
  fe_batch_flush(ctx);
  fe_cuda(ctx);
  return ctx->gpu.driver.stream;
}

// Memory

static void *fe_driver_alloc(struct futhark_context *ctx, int64_t bytes) {
  uint64_t address = 0;
  int result = fe_cuda(ctx)->alloc(&address, (size_t)bytes);
  if (result != 0 && result != FE_CUDA_OUT_OF_MEMORY) {
    fe_cuda_check(ctx, result, "allocate memory");
  }
  return result == 0 ? (void *)(uintptr_t)address : NULL;
}

static void fe_driver_free(struct futhark_context *ctx, void *memory) {
  fe_cuda(ctx)->free((uint64_t)(uintptr_t)memory);
}

static void *fe_driver_alloc_stage(struct futhark_context *ctx, size_t bytes) {
  void *memory = NULL;
  return fe_cuda(ctx)->alloc_host(&memory, bytes) == 0 ? memory : NULL;
}

static bool fe_driver_reach(struct futhark_context *ctx, void *memory, size_t bytes) {
  return fe_cuda(ctx)->host_register(memory, bytes, 0) == 0;
}

static void fe_driver_leave(struct futhark_context *ctx, void *memory) { fe_cuda(ctx)->host_unregister(memory); }

static void fe_driver_free_stage(struct futhark_context *ctx, void *memory) { fe_cuda(ctx)->free_host(memory); }

// Times

static void fe_stamp_start(struct futhark_context *ctx, struct fe_stamp *stamp) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (stamp != NULL && driver->cuda.event_create(&stamp->start, 0) == 0
      && driver->cuda.event_create(&stamp->end, 0) == 0) {
    driver->cuda.event_record(stamp->start, driver->stream);
  }
}

static void fe_stamp_end(struct futhark_context *ctx, struct fe_stamp *stamp) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (stamp != NULL && stamp->end != NULL) {
    driver->cuda.event_record(stamp->end, driver->stream);
  }
}

static void fe_driver_times(struct futhark_context *ctx, const struct fe_timing *timing, int64_t *start, int64_t *nanoseconds) {
  struct fe_driver *driver = &ctx->gpu.driver;
  float since = 0, took = 0;
  *start = timing->asked;
  if (driver->base != NULL && driver->cuda.event_elapsed(&since, driver->base, timing->stamp.start) == 0) {
    *start = driver->base_time + (int64_t)((double)since * 1e6);
  }
  driver->cuda.event_elapsed(&took, timing->stamp.start, timing->stamp.end);
  *nanoseconds = (int64_t)((double)took * 1e6);
  driver->cuda.event_destroy(timing->stamp.start);
  driver->cuda.event_destroy(timing->stamp.end);
}

// Copies

#define FE_CUDA_ASYNC(call, what)                                \
  int flushed = fe_batch_flush(ctx);                             \
  if (flushed != FUTHARK_SUCCESS) {                              \
    return flushed;                                              \
  }                                                              \
  struct fe_cuda *cuda = fe_cuda(ctx);                           \
  fe_stamp_start(ctx, stamp);                                    \
  int code = fe_cuda_check(ctx, cuda->call, what);               \
  fe_stamp_end(ctx, stamp);                                      \
  return code

static int fe_driver_copy_out(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp) {
  FE_CUDA_ASYNC(copy_out(to, (uint64_t)(uintptr_t)from, bytes, ctx->gpu.driver.stream), "copy from the device");
}

static int fe_driver_copy_in(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp) {
  FE_CUDA_ASYNC(copy_in((uint64_t)(uintptr_t)to, from, bytes, ctx->gpu.driver.stream), "copy to the device");
}

static bool fe_batch_copy(struct futhark_context *ctx, void *to, const void *from, size_t bytes);
static int fe_batch_added(struct futhark_context *ctx);

static int fe_driver_copy(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp) {
  if (stamp == NULL && fe_batch_copy(ctx, to, from, bytes)) {
    return fe_batch_added(ctx);
  }
  FE_CUDA_ASYNC(copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes, ctx->gpu.driver.stream), "copy on the device");
}

static int fe_driver_zero(struct futhark_context *ctx, void *to, size_t bytes, struct fe_stamp *stamp) {
  if (stamp == NULL && fe_batch_copy(ctx, to, NULL, bytes)) {
    return fe_batch_added(ctx);
  }
  FE_CUDA_ASYNC(fill((uint64_t)(uintptr_t)to, 0, bytes, ctx->gpu.driver.stream), "clear memory of the device");
}

static bool fe_driver_send(struct futhark_context *ctx, void *to, const void *from, size_t bytes) {
  struct fe_driver *driver = &ctx->gpu.driver;
  struct fe_cuda *cuda = fe_cuda(ctx);
  return (driver->second != NULL || cuda->stream_create(&driver->second, FE_CUDA_STREAM_ALONE) == 0)
         && cuda->copy_in((uint64_t)(uintptr_t)to, from, bytes, driver->second) == 0;
}

static void *fe_driver_sent(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  struct fe_cuda *cuda = fe_cuda(ctx);
  void *event = NULL;
  if (driver->second != NULL && cuda->event_create(&event, FE_CUDA_EVENT_WITHOUT_TIME) == 0
      && cuda->event_record(event, driver->second) != 0) {
    cuda->event_destroy(event);
    event = NULL;
  }
  return event;
}

static void fe_driver_arrived(struct futhark_context *ctx, void *event) {
  struct fe_cuda *cuda = fe_cuda(ctx);
  cuda->event_wait(event);
  cuda->event_destroy(event);
}

static int fe_driver_follow(struct futhark_context *ctx, void *event) {
  int flushed = fe_batch_flush(ctx);
  struct fe_cuda *cuda = fe_cuda(ctx);
  int code = fe_cuda_check(ctx, cuda->stream_follow(ctx->gpu.driver.stream, event, 0), "wait for a copy");
  code = code == FUTHARK_SUCCESS ? flushed : code;
  cuda->event_destroy(event);
  return code;
}

static int fe_driver_mark(struct futhark_context *ctx, int number) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int code = fe_batch_flush(ctx);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  struct fe_cuda *cuda = fe_cuda(ctx);
  int result = driver->marks[number] == NULL ? cuda->event_create(&driver->marks[number], FE_CUDA_EVENT_WITHOUT_TIME) : 0;
  return fe_cuda_check(ctx, result != 0 ? result : cuda->event_record(driver->marks[number], driver->stream), "ask for a value");
}

static int fe_driver_await(struct futhark_context *ctx, int number) {
  return fe_cuda_check(ctx, fe_cuda(ctx)->event_wait(ctx->gpu.driver.marks[number]), "receive a value");
}

static int fe_driver_wait(struct futhark_context *ctx) {
  int code = fe_batch_flush(ctx);
  return code != FUTHARK_SUCCESS ? code : fe_cuda_check(ctx, fe_cuda(ctx)->stream_wait(ctx->gpu.driver.stream), "complete the pending work");
}
