// CUDA kernels: compiled by NVRTC, loaded and launched by the driver. After cuda.c and state.h.

// The architecture to compile for: that of the device, or the newest that the compiler knows before it, from whose PTX the
// driver goes on.
static int fe_cuda_architecture(struct futhark_context *ctx, bool *exact) {
  struct fe_driver *driver = &ctx->gpu.driver;
  int count = 0, best = 0;
  int *known = driver->nvrtc.num_archs(&count) == 0 && count > 0 ? calloc((size_t)count, sizeof *known) : NULL;
  if (known != NULL && driver->nvrtc.archs(known) == 0) {
    for (int i = 0; i < count; i++) {
      best = known[i] <= driver->capability && known[i] > best ? known[i] : best;
    }
  }
  free(known);
  *exact = best == driver->capability;
  return best == 0 ? driver->capability : best;
}

// The compiler has failed: the first lines of what it says.
FE_COLD static int fe_nvrtc_failed(struct futhark_context *ctx, void *program) {
  struct fe_nvrtc *nvrtc = &ctx->gpu.driver.nvrtc;
  size_t size = 0;
  char *log = nvrtc->log_size(program, &size) == 0 ? malloc(size + 1) : NULL;
  if (log != NULL && nvrtc->log(program, log) == 0) {
    log[size] = '\0';
  }
  int code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the CUDA kernel compiler failed:\n%.4000s", log == NULL ? "" : log);
  free(log);
  return code;
}

// Compiles to bytes.
static int fe_cuda_compile(struct futhark_context *ctx, const char *source, const char *options, struct fe_part *part) {
  struct fe_nvrtc *nvrtc = &ctx->gpu.driver.nvrtc;
  bool exact = false;
  char architecture[64];
  int number = fe_cuda_architecture(ctx, &exact);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s_%d", exact ? "sm" : "compute", number);
  // Ours, then those of the user, which are separated by line breaks.
  const char *all[64] = {architecture, "--device-as-default-execution-space", "--std=c++17", "--disable-warnings"};
  int count = 4;
  switch (fe_program.floats) {
  case FE_FLOATS_STRICT:
    all[count++] = "--fmad=false";
    break;
  case FE_FLOATS_CONTRACTED:
    break;
  case FE_FLOATS_FAST:
    // Not --use_fast_math, which approximates all elementary functions, without reducing their arguments.
    all[count++] = "--prec-div=false";
    all[count++] = "--prec-sqrt=false";
    all[count++] = "--ftz=true";
    all[count++] = "-DFE_FAST_MATH";
    break;
  }
  if (ctx->debugging) {
    all[count++] = "--generate-line-info";
  }
  char *copy = fe_copy_string(options);
  char *rest = NULL;
  for (char *word = copy == NULL ? NULL : strtok_r(copy, "\n", &rest); word != NULL && count < 64;
       word = strtok_r(NULL, "\n", &rest)) {
    all[count++] = word;
  }
  void *program = NULL;
  int code = FUTHARK_SUCCESS;
  if (nvrtc->create(&program, source, "kernels.cu", 0, NULL, NULL) != 0) {
    code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the CUDA kernel compiler does not start");
  } else if (nvrtc->compile(program, count, all) != 0) {
    code = fe_nvrtc_failed(ctx, program);
  } else {
    // PTX is a text, which the driver wants with a zero at the end; the size counts that.
    int failed = exact ? nvrtc->cubin_size(program, &part->size) : nvrtc->ptx_size(program, &part->size);
    part->image = failed == 0 ? malloc(part->size + 1) : NULL;
    char *bytes = (char *)part->image;
    if (bytes == NULL || (exact ? nvrtc->cubin(program, bytes) : nvrtc->ptx(program, bytes)) != 0) {
      code = fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the CUDA kernel compiler produced no output");
    }
  }
  if (program != NULL) {
    nvrtc->destroy(&program);
  }
  free(copy);
  return code;
}

static int fe_driver_compile(struct futhark_context *ctx, const char *source, const char *options, struct fe_part *part) {
  int code = fe_cuda_compile(ctx, source, options, part);
  return code == FUTHARK_SUCCESS
             ? fe_cuda_check(ctx, fe_cuda(ctx)->module_load(&part->module, part->image), "load the kernels")
             : code;
}

static int fe_driver_load(struct futhark_context *ctx, struct fe_part *part) {
  return fe_cuda(ctx)->module_load(&part->module, part->image) == 0 ? FUTHARK_SUCCESS : FUTHARK_PROGRAM_ERROR;
}

static void fe_driver_unload(struct futhark_context *ctx, struct fe_part *part) { fe_cuda(ctx)->module_unload(part->module); }

// NVRTC reads what all programs begin with in a few hundredths of a second, and needs tenths for a kernel.
static bool fe_driver_divides(struct futhark_context *ctx) {
  (void)ctx;
  return true;
}

static bool fe_driver_keeps(struct futhark_context *ctx) {
  (void)ctx;
  return false;
}

// A kernel may use all shared memory that a block can have, if it says so first.
static int fe_driver_kernel(struct futhark_context *ctx, struct fe_part *part, const char *name, fe_function *kernel) {
  struct fe_cuda *cuda = fe_cuda(ctx);
  int code = fe_cuda_check(ctx, cuda->module_function(kernel, part->module, name), "find a kernel");
  int declared = 0;
  if (code == FUTHARK_SUCCESS && cuda->function_attribute(&declared, FE_CUDA_FUNCTION_SHARED, *kernel) == 0) {
    int most = (int)ctx->gpu.limits[FE_SHARED_BYTES] - declared;
    // Older devices have no more than kernels may use anyway, and refuse.
    cuda->function_set(*kernel, FE_CUDA_FUNCTION_DYNAMIC_SHARED, most);
  }
  return code;
}

static void fe_driver_release_kernel(struct futhark_context *ctx, fe_function kernel) {
  // It goes with the module.
  (void)ctx;
  (void)kernel;
}

// Launches a kernel, with pointers to its arguments.
static int fe_cuda_launch(struct futhark_context *ctx, fe_function kernel, int64_t blocks, int block_size, int64_t shared_bytes,
                          void **pointers) {
  struct fe_driver *driver = &ctx->gpu.driver;
  if (driver->launch_early == NULL) {
    return driver->cuda.launch(kernel, (unsigned)blocks, 1, 1, (unsigned)block_size, 1, 1, (unsigned)shared_bytes, driver->stream,
                               pointers, NULL);
  }
  // The blocks of this kernel may start while those of the one before are still running, and wait in FE_BEGIN: what a
  // launch takes is then hidden.
  struct fe_cuda_launch_attribute early = {.number = FE_CUDA_LAUNCH_EARLY, .value = {1}};
  struct fe_cuda_launch launch = {.grid = {(unsigned)blocks, 1, 1}, .block = {(unsigned)block_size, 1, 1},
                                  .shared_bytes = (unsigned)shared_bytes, .stream = driver->stream,
                                  .attributes = &early, .num_attributes = 1};
  return driver->launch_early(&launch, kernel, pointers, NULL);
}
