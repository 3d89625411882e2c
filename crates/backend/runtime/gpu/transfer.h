// Copies between our memory and the device's, waiting, and what failed in kernels. After profile.h.

// Waits, without looking at what failed.
static int fe_wait(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  int code = fe_driver_wait(ctx);
  gpu->busy = false;
  gpu->stage_used = 0;
  if (code == FUTHARK_SUCCESS) {
    fe_timings_collect(ctx);
  }
  return code;
}

static void fe_gpu_settle(struct futhark_context *ctx) {
  if (ctx->gpu.open && ctx->gpu.busy) {
    fe_wait(ctx);
  }
}

// The parts of the stage: what failed, what comes from the device, and what goes there.
static struct fe_failure *fe_stage_failure(struct futhark_context *ctx) {
  return (struct fe_failure *)(void *)ctx->gpu.stage;
}
static unsigned char *fe_stage_in(struct futhark_context *ctx) { return ctx->gpu.stage + FE_STAGED; }
static unsigned char *fe_stage_out(struct futhark_context *ctx) { return ctx->gpu.stage + 2 * FE_STAGED; }

_Static_assert(sizeof(struct fe_failure) <= FE_STAGED, "what failed must fit into its part of the stage");

// Waits, and looks whether a check has failed since the last time.
static int fe_finish(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (!gpu->open) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there is no device");
  }
  if (!gpu->busy) {
    return FUTHARK_SUCCESS;
  }
  bool look = gpu->unchecked;
  int code = FUTHARK_SUCCESS;
  if (look) {
    code = fe_driver_copy_out(ctx, fe_stage_failure(ctx), gpu->failure, sizeof *gpu->failure, NULL);
  }
  int waited = fe_wait(ctx);
  code = code == FUTHARK_SUCCESS ? waited : code;
  if (!look || code != FUTHARK_SUCCESS) {
    return code;
  }
  gpu->unchecked = false;
  struct fe_failure failure = *fe_stage_failure(ctx);
  if (failure.check == 0) {
    return FUTHARK_SUCCESS;
  }
  // What comes next begins anew.
  gpu->busy = true;
  code = fe_driver_zero(ctx, gpu->failure, sizeof *gpu->failure, NULL);
  if (code == FUTHARK_SUCCESS) {
    fe_device_error(ctx, failure.check - 1, failure.values);
    code = FUTHARK_PROGRAM_ERROR;
  }
  return code;
}

static int fe_fetch(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  bool staged = bytes <= FE_STAGED;
  struct fe_stamp *stamp = fe_timing_start(ctx, "copy_dev_to_host", "");
  int code = fe_driver_copy_out(ctx, staged ? fe_stage_in(ctx) : to, from, (size_t)bytes, stamp);
  code = fe_timing_asked(ctx, stamp, code);
  if (code == FUTHARK_SUCCESS) {
    code = fe_finish(ctx);
  }
  if (code == FUTHARK_SUCCESS && staged) {
    memcpy(to, fe_stage_in(ctx), (size_t)bytes);
  }
  return code;
}

static int fe_put(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  bool staged = bytes <= FE_STAGED;
  int code = FUTHARK_SUCCESS;
  if (staged) {
    if (gpu->stage_used + bytes > FE_STAGE - 2 * FE_STAGED) {
      code = fe_wait(ctx);
    }
    void *stage = fe_stage_out(ctx) + gpu->stage_used;
    memcpy(stage, from, (size_t)bytes);
    gpu->stage_used += (bytes + 63) / 64 * 64;
    from = stage;
  }
  if (code == FUTHARK_SUCCESS) {
    struct fe_stamp *stamp = fe_timing_start(ctx, "copy_host_to_dev", "");
    code = fe_timing_asked(ctx, stamp, fe_driver_copy_in(ctx, to, from, (size_t)bytes, stamp));
  }
  return code == FUTHARK_SUCCESS && !staged ? fe_wait(ctx) : code;
}

static int fe_device_copy(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  struct fe_stamp *stamp = fe_timing_start(ctx, "copy_dev_to_dev", "");
  return fe_timing_asked(ctx, stamp, fe_driver_copy(ctx, to, from, (size_t)bytes, stamp));
}

static int fe_device_zero(struct futhark_context *ctx, void *to, int64_t bytes) {
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  struct fe_stamp *stamp = fe_timing_start(ctx, "zero_dev", "");
  return fe_timing_asked(ctx, stamp, fe_driver_zero(ctx, to, (size_t)bytes, stamp));
}
