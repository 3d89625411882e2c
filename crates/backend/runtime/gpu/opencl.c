// Devices accessed through OpenCL. After driver.h, library.c and choose.c.

static int fe_cl_check(struct futhark_context *ctx, int result, const char *what) {
  if (FE_LIKELY(result == 0)) {
    return FUTHARK_SUCCESS;
  }
  bool memory = result == FE_CL_MEM_OBJECT_ALLOCATION_FAILURE || result == FE_CL_OUT_OF_HOST_MEMORY;
  return fe_fail(ctx, memory ? FUTHARK_OUT_OF_MEMORY : FUTHARK_PROGRAM_ERROR, "OpenCL cannot %s: error %d%s", what, result,
                 memory ? ", out of memory" : result == FE_CL_OUT_OF_RESOURCES ? ", out of resources" : "");
}

// Opening

#define FE_FIND(type, name, symbol, parameters)                                             \
  if (missing == NULL && !fe_library_find(library, symbol, &table->name, sizeof table->name)) { \
    missing = symbol;                                                                       \
  }

static int fe_cl_find(struct futhark_context *ctx) {
  const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", "/System/Library/Frameworks/OpenCL.framework/OpenCL", NULL};
  char why[256];
  void *library = ctx->gpu.driver.library = fe_library_open(names, why, sizeof why);
  if (library == NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "OpenCL was not found (%s). Install its loader (on Debian: ocl-icd-libopencl1) and "
                   "the driver for your device (for CPUs: pocl-opencl-icd).", why);
  }
  struct fe_opencl *table = &ctx->gpu.driver.cl;
  const char *missing = NULL;
  FE_OPENCL_FUNCTIONS(FE_FIND)
  if (missing != NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the OpenCL loader is too old: it has no function %s; OpenCL 2.0 or later is "
                   "needed", missing);
  }
  return FUTHARK_SUCCESS;
}
#undef FE_FIND

// All devices of the platforms that the user allows.
struct fe_cl_devices {
  struct fe_candidates all;
  void *devices[FE_MAX_DEVICES], *platforms[FE_MAX_DEVICES];
  int best; // the first GPU, or else the first
};

static void fe_cl_list(struct futhark_context *ctx, struct fe_cl_devices *list, void *platform) {
  struct fe_opencl *cl = &ctx->gpu.driver.cl;
  void *devices[FE_MAX_DEVICES];
  unsigned count = 0;
  if (cl->devices(platform, UINT64_C(0xFFFFFFFF), FE_MAX_DEVICES, devices, &count) != 0) {
    return;
  }
  for (unsigned i = 0; i < count && i < FE_MAX_DEVICES && list->all.count < FE_MAX_DEVICES; i++) {
    int at = list->all.count++;
    uint64_t type = 0;
    list->devices[at] = devices[i];
    list->platforms[at] = platform;
    cl->device_info(devices[i], FE_CL_DEVICE_NAME, sizeof list->all.names[at] - 1, list->all.names[at], NULL);
    cl->device_info(devices[i], FE_CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (list->best < 0 && (type & FE_CL_TYPE_GPU) != 0) {
      list->best = at;
    }
  }
}

static int fe_cl_choose(struct futhark_context *ctx, struct fe_cl_devices *list, struct fe_candidates *platforms) {
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_driver *driver = &gpu->driver;
  const char *wanted = ctx->cfg->gpu.platform;
  void *ids[FE_MAX_DEVICES];
  unsigned count = 0;
  if (driver->cl.platforms(FE_MAX_DEVICES, ids, &count) != 0 || count == 0) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "no OpenCL driver found. Install the one for your device (on Debian, for "
                   "processors: pocl-opencl-icd).");
  }
  platforms->what = "OpenCL platform";
  list->all.what = "OpenCL device";
  list->best = -1;
  for (unsigned i = 0; i < count && i < FE_MAX_DEVICES; i++) {
    int at = platforms->count++;
    driver->cl.platform_info(ids[i], FE_CL_PLATFORM_NAME, sizeof platforms->names[at] - 1, platforms->names[at], NULL);
  }
  bool any = wanted == NULL || wanted[0] == '\0';
  if (!any && fe_choose(ctx, platforms, wanted, 0) < 0) {
    return FUTHARK_PROGRAM_ERROR;
  }
  for (int i = 0; i < platforms->count; i++) {
    if (any || fe_is_wanted(platforms, i, wanted)) {
      fe_cl_list(ctx, list, ids[i]);
    }
  }
  if (list->all.count == 0) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there is no OpenCL device");
  }
  int chosen = fe_choose(ctx, &list->all, ctx->cfg->gpu.device, list->best < 0 ? 0 : list->best);
  if (chosen < 0) {
    return FUTHARK_PROGRAM_ERROR;
  }
  driver->device = list->devices[chosen];
  driver->platform = list->platforms[chosen];
  memcpy(gpu->name, list->all.names[chosen], sizeof gpu->name);
  return FUTHARK_SUCCESS;
}

static uint64_t fe_cl_number(struct futhark_context *ctx, unsigned what, size_t size) {
  struct fe_driver *driver = &ctx->gpu.driver;
  uint32_t small = 0;
  uint64_t large = 0;
  if (size == sizeof small) {
    driver->cl.device_info(driver->device, what, size, &small, NULL);
    return small;
  }
  driver->cl.device_info(driver->device, what, size, &large, NULL);
  return large;
}

// What the device can do, and whether it can do what we need.
static int fe_cl_describe(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_driver *driver = &gpu->driver;
  char version[128] = "", build[128] = "", platform[256] = "";
  driver->cl.device_info(driver->device, FE_CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
  driver->cl.device_info(driver->device, FE_CL_DRIVER_VERSION, sizeof build - 1, build, NULL);
  driver->cl.platform_info(driver->platform, FE_CL_PLATFORM_VERSION, sizeof platform - 1, platform, NULL);
  int major = 0, minor = 0;
  if (sscanf(version, "OpenCL %d.%d", &major, &minor) == 2) {
    driver->version = 10 * major + minor;
  }
  if (driver->version < 20 || (fe_cl_number(ctx, FE_CL_DEVICE_SVM_CAPABILITIES, 8) & 1) == 0) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the OpenCL device %s (%s) has no shared virtual memory, which is required",
                   gpu->name, version);
  }
  size_t size = 0;
  char *extensions = NULL;
  if (driver->cl.device_info(driver->device, FE_CL_DEVICE_EXTENSIONS, 0, NULL, &size) == 0) {
    extensions = calloc(size + 1, 1);
  }
  if (extensions != NULL) {
    driver->cl.device_info(driver->device, FE_CL_DEVICE_EXTENSIONS, size, extensions, NULL);
  }
  bool doubles = extensions != NULL && strstr(extensions, "cl_khr_fp64") != NULL;
  free(extensions);
  if (!doubles) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the OpenCL device %s has no 64-bit floats, which are required", gpu->name);
  }
  bool is_gpu = (fe_cl_number(ctx, FE_CL_DEVICE_TYPE, 8) & FE_CL_TYPE_GPU) != 0;
  driver->correct_divide = (fe_cl_number(ctx, FE_CL_DEVICE_SINGLE_FP_CONFIG, 8) & FE_CL_CORRECT_DIVIDE) != 0;
  gpu->limits[FE_BLOCK_SIZE] = (int64_t)fe_cl_number(ctx, FE_CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
  gpu->limits[FE_SHARED_BYTES] = (int64_t)fe_cl_number(ctx, FE_CL_DEVICE_LOCAL_MEM_SIZE, 8);
  gpu->limits[FE_UNITS] = (int64_t)fe_cl_number(ctx, FE_CL_DEVICE_MAX_COMPUTE_UNITS, 4);
  // OpenCL does not tell. Cores of processors run one block after the other.
  gpu->limits[FE_UNIT_THREADS] = is_gpu ? 2048 : 256;
  static const char *const names[] = {[FE_FLOATS_STRICT] = "strict", [FE_FLOATS_CONTRACTED] = "contracted", [FE_FLOATS_FAST] = "fast"};
  const char *floats = names[fe_program.floats];
  snprintf(gpu->identity, sizeof gpu->identity, "opencl %s, %s, %s, %s %s", gpu->name, version, build, platform, floats);
  return FUTHARK_SUCCESS;
}

static int fe_driver_open(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  struct fe_cl_devices *list = calloc(1, sizeof *list);
  struct fe_candidates *platforms = calloc(1, sizeof *platforms);
  int code = list == NULL || platforms == NULL
                 ? fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot list devices")
                 : fe_cl_find(ctx);
  code = code == FUTHARK_SUCCESS ? fe_cl_choose(ctx, list, platforms) : code;
  free(list);
  free(platforms);
  code = code == FUTHARK_SUCCESS ? fe_cl_describe(ctx) : code;
  int error = 0;
  if (code == FUTHARK_SUCCESS) {
    const intptr_t properties[] = {FE_CL_CONTEXT_PLATFORM, (intptr_t)driver->platform, 0};
    driver->context = driver->cl.context_create(properties, 1, &driver->device, NULL, NULL, &error);
    code = fe_cl_check(ctx, error, "create a context");
  }
  if (code == FUTHARK_SUCCESS) {
    const uint64_t properties[] = {FE_CL_QUEUE_PROPERTIES, ctx->profiling ? 2 : 0, 0}; // 2: with times
    driver->queue = driver->cl.queue_create(driver->context, driver->device, properties, &error);
    code = fe_cl_check(ctx, error, "create a queue");
  }
  return code;
}

// The library stays loaded: threads of it may be running.
static void fe_driver_close(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  for (int i = 0; i < FE_ASKED; i++) {
    if (driver->marks[i] != NULL) {
      driver->cl.event_release(driver->marks[i]);
    }
  }
  if (driver->second != NULL) {
    driver->cl.queue_release(driver->second);
  }
  if (driver->queue != NULL) {
    driver->cl.queue_release(driver->queue);
  }
  if (driver->context != NULL) {
    driver->cl.context_release(driver->context);
  }
}

// Memory

static void *fe_driver_alloc(struct futhark_context *ctx, int64_t bytes) {
  struct fe_driver *driver = &ctx->gpu.driver;
  return driver->cl.alloc(driver->context, 1, (size_t)bytes, 0); // 1: for reading and writing
}

static void fe_driver_free(struct futhark_context *ctx, void *memory) {
  ctx->gpu.driver.cl.free(ctx->gpu.driver.context, memory);
}

static void *fe_driver_alloc_stage(struct futhark_context *ctx, size_t bytes) {
  (void)ctx;
  return aligned_alloc(FE_ALIGNMENT, bytes);
}

static bool fe_driver_reach(struct futhark_context *ctx, void *memory, size_t bytes) {
  (void)ctx, (void)memory, (void)bytes;
  return true;
}

static void fe_driver_leave(struct futhark_context *ctx, void *memory) { (void)ctx, (void)memory; }

static void fe_driver_free_stage(struct futhark_context *ctx, void *memory) {
  (void)ctx;
  free(memory);
}

// Times

static void **fe_cl_event(struct fe_stamp *stamp) { return stamp == NULL ? NULL : &stamp->event; }

// The device has its own clock; when it heard of something is when we asked for it.
static void fe_driver_times(struct futhark_context *ctx, const struct fe_timing *timing, int64_t *start, int64_t *nanoseconds) {
  struct fe_opencl *cl = &ctx->gpu.driver.cl;
  uint64_t queued = 0, began = 0, ended = 0;
  void *event = timing->stamp.event;
  cl->event_times(event, FE_CL_PROFILING_QUEUED, sizeof queued, &queued, NULL);
  cl->event_times(event, FE_CL_PROFILING_START, sizeof began, &began, NULL);
  cl->event_times(event, FE_CL_PROFILING_END, sizeof ended, &ended, NULL);
  *start = timing->asked + (began > queued ? (int64_t)(began - queued) : 0);
  *nanoseconds = ended > began ? (int64_t)(ended - began) : 0;
  cl->event_release(event);
}

// Copies

static int fe_driver_copy(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp) {
  struct fe_driver *driver = &ctx->gpu.driver;
  return fe_cl_check(ctx, driver->cl.copy(driver->queue, 0, to, from, bytes, 0, NULL, fe_cl_event(stamp)), "copy memory");
}

static int fe_driver_copy_out(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp) {
  return fe_driver_copy(ctx, to, from, bytes, stamp);
}

static int fe_driver_copy_in(struct futhark_context *ctx, void *to, const void *from, size_t bytes, struct fe_stamp *stamp) {
  return fe_driver_copy(ctx, to, from, bytes, stamp);
}

static int fe_driver_zero(struct futhark_context *ctx, void *to, size_t bytes, struct fe_stamp *stamp) {
  struct fe_driver *driver = &ctx->gpu.driver;
  const unsigned char zero = 0;
  return fe_cl_check(ctx, driver->cl.fill(driver->queue, to, &zero, 1, bytes, 0, NULL, fe_cl_event(stamp)), "clear memory");
}

static bool fe_driver_send(struct futhark_context *ctx, void *to, const void *from, size_t bytes) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int error = 0;
  if (driver->second == NULL) {
    const uint64_t properties[] = {FE_CL_QUEUE_PROPERTIES, 0, 0};
    driver->second = driver->cl.queue_create(driver->context, driver->device, properties, &error);
  }
  return driver->second != NULL && driver->cl.copy(driver->second, 0, to, from, bytes, 0, NULL, NULL) == 0;
}

static void *fe_driver_sent(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  void *event = NULL;
  // Without the flush the first queue might wait for something that has not begun.
  bool asked = driver->second != NULL && driver->cl.barrier(driver->second, 0, NULL, &event) == 0;
  return asked && driver->cl.flush(driver->second) == 0 ? event : NULL;
}

static void fe_driver_arrived(struct futhark_context *ctx, void *event) {
  struct fe_driver *driver = &ctx->gpu.driver;
  driver->cl.event_wait(1, &event);
  driver->cl.event_release(event);
}

static int fe_driver_follow(struct futhark_context *ctx, void *event) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int code = fe_cl_check(ctx, driver->cl.barrier(driver->queue, 1, &event, NULL), "wait for a copy");
  driver->cl.event_release(event);
  return code;
}

static int fe_driver_mark(struct futhark_context *ctx, int number) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (driver->marks[number] != NULL) {
    driver->cl.event_release(driver->marks[number]);
    driver->marks[number] = NULL;
  }
  int error = driver->cl.barrier(driver->queue, 0, NULL, &driver->marks[number]);
  return fe_cl_check(ctx, error != 0 ? error : driver->cl.flush(driver->queue), "ask for a value");
}

static int fe_driver_await(struct futhark_context *ctx, int number) {
  return fe_cl_check(ctx, ctx->gpu.driver.cl.event_wait(1, &ctx->gpu.driver.marks[number]), "receive a value");
}

static int fe_driver_wait(struct futhark_context *ctx) {
  return fe_cl_check(ctx, ctx->gpu.driver.cl.finish(ctx->gpu.driver.queue), "complete the pending work");
}
