// The beginning and end of a context with its device. After all other files in this folder.

static int fe_gpu_init(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  int code = fe_driver_open(ctx);
  gpu->open = code == FUTHARK_SUCCESS;
  if (code == FUTHARK_SUCCESS) {
    fe_log(ctx, "device: %s", gpu->name);
    gpu->stage = fe_driver_alloc_stage(ctx, FE_STAGE);
    gpu->failure = fe_driver_alloc(ctx, FE_FAILURE_BYTES);
    if (gpu->stage == NULL || gpu->failure == NULL) {
      code = fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: no memory left on the device %s", gpu->name);
    }
  }
  if (code == FUTHARK_SUCCESS) {
    gpu->busy = true;
    code = fe_driver_zero(ctx, gpu->failure, FE_FAILURE_BYTES, NULL);
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_failure_reset(ctx);
  }
  return code == FUTHARK_SUCCESS ? fe_build_init(ctx) : code;
}

static void fe_gpu_forget(struct futhark_context *ctx) {
  fe_spares_free(ctx);
  ctx->pool.peak -= ctx->pool.evicted;
  memset(&ctx->gpu.evictions, 0, sizeof ctx->gpu.evictions);
}

static void fe_gpu_free(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  fe_gpu_settle(ctx);
  fe_build_free(ctx);
  if (gpu->failure != NULL) {
    fe_driver_free(ctx, gpu->failure);
  }
  if (gpu->stage != NULL) {
    fe_driver_free_stage(ctx, gpu->stage);
  }
  fe_spares_free(ctx);
  fe_driver_close(ctx);
  free(gpu->timings);
  free(gpu->blocks);
  free(gpu->free_numbers);
  free(gpu->args);
  free(gpu->needed);
  gpu->open = false;
}
