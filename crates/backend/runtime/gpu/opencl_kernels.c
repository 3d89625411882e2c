// OpenCL kernels: compiled, cached as the binary that the implementation produces, and launched. After opencl.c and
// state.h.

static bool fe_cl_is_pocl(struct futhark_context *ctx) {
  struct fe_driver *driver = &ctx->gpu.driver;
  char name[256] = "";
  driver->cl.platform_info(driver->platform, FE_CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
  return strstr(name, "Portable Computing Language") != NULL;
}

// The compiler has failed: the first lines of what it says.
FE_COLD static int fe_cl_build_failed(struct futhark_context *ctx, void *program, int result) {
  struct fe_driver *driver = &ctx->gpu.driver;
  size_t size = 0;
  char *log = NULL;
  if (driver->cl.build_info(program, driver->device, FE_CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == 0) {
    log = calloc(size + 1, 1);
  }
  if (log != NULL) {
    driver->cl.build_info(program, driver->device, FE_CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  int code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the OpenCL compiler failed (error %d):\n%.4000s", result,
                     log == NULL ? "" : log);
  free(log);
  return code;
}

// Our options and those of the user, which are separated by line breaks; NULL if there is no memory.
static char *fe_cl_options(struct futhark_context *ctx, const char *more) {
  struct fe_text text = {0};
  fe_text_words(&text, ctx->gpu.driver.version >= 30 ? "-cl-std=CL3.0 -w" : "-cl-std=CL2.0 -w");
  if (ctx->gpu.driver.correct_divide && fe_program.floats != FE_FLOATS_FAST) {
    fe_text_words(&text, " -cl-fp32-correctly-rounded-divide-sqrt");
  }
  switch (fe_program.floats) {
  case FE_FLOATS_STRICT:
    fe_text_words(&text, " -D FE_NO_CONTRACTION");
    break;
  case FE_FLOATS_CONTRACTED:
    break;
  case FE_FLOATS_FAST:
    fe_text_words(&text, " -cl-denorms-are-zero -cl-finite-math-only -D FE_FAST_MATH");
    break;
  }
  // Optimised by PoCL (3.1, and nobody knows which other versions), threads lose what their variables had before a loop with
  // a barrier.
  fe_text_words(&text, fe_cl_is_pocl(ctx) ? " -cl-opt-disable " : " ");
  fe_text_words(&text, more);
  if (text.failed) {
    free(text.chars);
    return NULL;
  }
  for (char *c = text.chars; *c != '\0'; c++) {
    *c = *c == '\n' ? ' ' : *c;
  }
  return text.chars;
}

// What was compiled as bytes that can be kept, if somebody wants them.
static void fe_cl_keep(struct futhark_context *ctx, struct fe_part *part) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (ctx->gpu.cache_path == NULL
      || driver->cl.program_info(part->module, FE_CL_PROGRAM_BINARY_SIZES, sizeof part->size, &part->size, NULL) != 0
      || part->size == 0) {
    return;
  }
  part->image = malloc(part->size);
  if (part->image != NULL
      && driver->cl.program_info(part->module, FE_CL_PROGRAM_BINARIES, sizeof part->image, &part->image, NULL) != 0) {
    free(part->image);
    part->image = NULL;
  }
}

static void fe_driver_unload(struct futhark_context *ctx, struct fe_part *part) {
  ctx->gpu.driver.cl.program_release(part->module);
  part->module = NULL;
}

static int fe_driver_compile(struct futhark_context *ctx, const char *source, const char *options, struct fe_part *part) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int result = 0;
  char *all = fe_cl_options(ctx, options);
  if (all == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot compile kernels");
  }
  part->module = driver->cl.program_source(driver->context, 1, &source, NULL, &result);
  int code = fe_cl_check(ctx, result, "create a program");
  if (code == FUTHARK_SUCCESS) {
    result = driver->cl.program_build(part->module, 1, &driver->device, all, NULL, NULL);
    code = result == 0 ? FUTHARK_SUCCESS : fe_cl_build_failed(ctx, part->module, result);
  }
  free(all);
  if (code == FUTHARK_SUCCESS) {
    fe_cl_keep(ctx, part);
  } else if (part->module != NULL) {
    fe_driver_unload(ctx, part);
  }
  return code;
}

static int fe_driver_load(struct futhark_context *ctx, struct fe_part *part) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int status = 0, result = 0;
  const unsigned char *image = part->image;
  part->module = driver->cl.program_binary(driver->context, 1, &driver->device, &part->size, &image, &status, &result);
  result = result == 0 ? status : result;
  if (result == 0) {
    result = driver->cl.program_build(part->module, 1, &driver->device, "", NULL, NULL);
  }
  if (result != 0 && part->module != NULL) {
    fe_driver_unload(ctx, part);
  }
  return result == 0 ? FUTHARK_SUCCESS : FUTHARK_PROGRAM_ERROR;
}

// PoCL keeps programs. For the bytes of one it would compile all kernels for blocks of any size, which takes seconds, and
// compile those that are used once more, for their sizes.
static bool fe_driver_keeps(struct futhark_context *ctx) { return fe_cl_is_pocl(ctx); }

// PoCL compiles what is expensive when a kernel is launched, in any case, and begins each program with reading its library.
// With FE_DIVIDED it is treated like others, for tests.
static bool fe_driver_divides(struct futhark_context *ctx) {
#ifdef FE_DIVIDED
  (void)ctx;
  return true;
#else
  return !fe_cl_is_pocl(ctx);
#endif
}

static int fe_driver_kernel(struct futhark_context *ctx, struct fe_part *part, const char *name, fe_function *kernel) {
  int error = 0;
  *kernel = ctx->gpu.driver.cl.kernel_create(part->module, name, &error);
  return fe_cl_check(ctx, error, "find a kernel");
}

static void fe_driver_release_kernel(struct futhark_context *ctx, fe_function kernel) {
  ctx->gpu.driver.cl.kernel_release(kernel);
}

// An address, of which nobody may follow that of an empty array; some implementations do not take NULL.
static int fe_cl_pointer(struct futhark_context *ctx, fe_function kernel, unsigned number, const void *address) {
  return ctx->gpu.driver.cl.kernel_arg_pointer(kernel, number, address == NULL ? (const void *)ctx->gpu.failure : address);
}

static int fe_driver_launch(struct futhark_context *ctx, fe_function kernel, int64_t blocks, int block_size,
                            int64_t shared_bytes, int num_args, const struct fe_arg *args, struct fe_stamp *stamp) {
  struct fe_driver *driver = &ctx->gpu.driver;
  // Before its own arguments every kernel has the failure buffer, dynamic shared memory, which must not be empty, and the
  // number of the launch.
  int result = fe_cl_pointer(ctx, kernel, 0, ctx->gpu.failure);
  if (result == 0) {
    result = driver->cl.kernel_arg(kernel, 1, shared_bytes < 16 ? 16 : (size_t)shared_bytes, NULL);
  }
  if (result == 0) {
    result = driver->cl.kernel_arg(kernel, 2, sizeof ctx->gpu.launch, &ctx->gpu.launch);
  }
  for (int i = 0; i < num_args && result == 0; i++) {
    if (args[i].use != FE_VALUE) {
      void *address = NULL;
      memcpy(&address, args[i].value, sizeof address);
      result = fe_cl_pointer(ctx, kernel, (unsigned)i + 3, address);
    } else {
      result = driver->cl.kernel_arg(kernel, (unsigned)i + 3, args[i].size, args[i].value);
    }
  }
  if (result != 0) {
    return fe_cl_check(ctx, result, "set the arguments of a kernel");
  }
  const size_t local = (size_t)block_size, global = (size_t)blocks * local;
  result = driver->cl.launch(driver->queue, kernel, 1, NULL, &global, &local, 0, NULL, fe_cl_event(stamp));
  return fe_cl_check(ctx, result, "launch a kernel");
}
