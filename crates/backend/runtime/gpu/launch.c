// Launching kernels, limits and tuning parameters. After residence.c.

// Room for so many arguments.
static int fe_args_grow(struct futhark_context *ctx, int count) {
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_arg *args = realloc(gpu->args, 2 * (size_t)count * sizeof *args);
  gpu->args = args == NULL ? gpu->args : args;
  struct fe_needed *needed = args == NULL ? NULL : realloc(gpu->needed, 2 * (size_t)count * sizeof *needed);
  gpu->needed = needed == NULL ? gpu->needed : needed;
  if (needed == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot launch a kernel");
  }
  gpu->max_args = 2 * count;
  return FUTHARK_SUCCESS;
}

// The arguments as the device wants them, in gpu->args.
static int fe_args_reach(struct futhark_context *ctx, const struct fe_kernel *kernel, int num_args, const struct fe_arg *args) {
  struct fe_gpu *gpu = &ctx->gpu;
  int code = num_args > gpu->max_args ? fe_args_grow(ctx, num_args) : FUTHARK_SUCCESS, num_needed = 0;
  for (int i = 0; i < num_args && code == FUTHARK_SUCCESS; i++) {
    gpu->args[i] = args[i];
    if (args[i].use != FE_VALUE) {
      struct fe_needed *needed = &gpu->needed[num_needed++];
      memcpy(&needed->address, args[i].value, sizeof needed->address);
      needed->written = args[i].use == FE_WRITTEN;
      gpu->args[i].value = &needed->address;
    }
  }
  const struct fe_who who = {"the kernel", kernel->name, kernel->place};
  return code == FUTHARK_SUCCESS ? fe_reach(ctx, who, num_needed, gpu->needed) : code;
}

FE_SHARED int fe_launch(struct futhark_context *ctx, int kernel, int64_t blocks, int block_size, int64_t shared_bytes,
                     int num_args, const struct fe_arg *args) {
  struct fe_gpu *gpu = &ctx->gpu;
  const struct fe_kernel *known = &fe_program.kernels[kernel];
  if (blocks <= 0) {
    return FUTHARK_SUCCESS;
  }
  if (ctx->cancelled) {
    return fe_stop(ctx);
  }
  if (blocks > INT32_MAX) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the kernel \"%s\" (%s) would need %" PRId64 " thread blocks; the maximum "
                   "is %d", known->name, known->place, blocks, INT32_MAX);
  }
  if (shared_bytes > gpu->limits[FE_SHARED_BYTES]) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the kernel \"%s\" (%s) needs %" PRId64 " bytes of shared memory per block; "
                   "this device has %" PRId64, known->name, known->place, shared_bytes, gpu->limits[FE_SHARED_BYTES]);
  }
  if (ctx->debugging) {
    fe_log(ctx, "kernel %s (%s): %" PRId64 " blocks of %d threads, %" PRId64 " bytes of shared memory", known->name,
           known->place, blocks, block_size, shared_bytes);
  }
  const int code_at = known->code + (shared_bytes == 0 ? 0 : fe_program.num_kernels);
  if (gpu->kernels[code_at] == NULL) {
    int code = fe_find_kernel(ctx, code_at);
    if (code != FUTHARK_SUCCESS) {
      return code;
    }
  }
  int code = fe_args_reach(ctx, known, num_args, args);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  gpu->launch = gpu->launch == INT32_MAX ? 1 : gpu->launch + 1;
  struct fe_stamp *stamp = fe_timing_start(ctx, known->name, known->place, FE_ON_DEVICE, 0);
  code = fe_driver_launch(ctx, gpu->kernels[code_at], blocks, block_size, shared_bytes, num_args, gpu->args, stamp);
  gpu->unchecked = true;
  code = fe_timing_asked(ctx, stamp, code);
  // Waiting for each kernel shows which one goes wrong.
  return code == FUTHARK_SUCCESS && ctx->debugging ? fe_wait(ctx) : code;
}

// Pointers of OpenCL's know what kind of memory they point to, so that there it is none.
FE_SHARED int64_t fe_shared_wish(struct futhark_context *ctx, int64_t bytes) {
#ifdef FE_OPENCL
  (void)ctx;
  (void)bytes;
  return 0;
#else
  // Two blocks of a multiprocessor should have room, beside shared arrays that are always there.
  const int64_t most = 96 * 1024, room = ctx->gpu.limits[FE_SHARED_BYTES] - 16 * 1024;
  return bytes <= (room < most ? room : most) ? bytes : 0;
#endif
}

FE_SHARED int64_t fe_busy_blocks(struct futhark_context *ctx, int64_t threads) {
  const int64_t *limits = ctx->gpu.limits;
  const int64_t of_unit = limits[FE_UNIT_THREADS] / threads;
  const int64_t blocks = fe_gpu_standard(&ctx->cfg->gpu, "grid_size", limits[FE_UNITS] * (of_unit < 1 ? 1 : of_unit));
  return blocks < 1 ? 1 : blocks;
}
