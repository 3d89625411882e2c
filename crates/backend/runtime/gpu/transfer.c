// Copies between host memory and device memory, waiting, and failures in kernels. After residence.c.

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

// A value that was asked for, and whether a check had failed by then.
struct fe_asked {
  unsigned char value[FE_AWAITED_BYTES];
  int32_t check;
};
// They are at the end of the first part of the stage.
static struct fe_asked *fe_stage_asked(struct futhark_context *ctx, int number) {
  return (struct fe_asked *)(void *)(ctx->gpu.stage + FE_STAGED) - 1 - number;
}

_Static_assert(sizeof(struct fe_failure) + sizeof(int32_t) + FE_ASKED * sizeof(struct fe_asked) <= FE_STAGED,
               "what failed must fit into its part of the stage");

#ifdef FE_TOLD
static volatile int32_t *fe_stage_told(struct futhark_context *ctx) {
  return (volatile int32_t *)(void *)(fe_stage_failure(ctx) + 1);
}
#endif

// No check has failed so far.
static int fe_failure_reset(struct futhark_context *ctx) {
  struct fe_failure *failure = fe_stage_failure(ctx);
  memset(failure, 0, sizeof *failure);
#ifdef FE_TOLD
  failure->told = (int32_t *)(failure + 1);
  *failure->told = 0;
#endif
  ctx->gpu.busy = true;
  int code = fe_driver_copy_in(ctx, ctx->gpu.failure, failure, sizeof *failure, NULL);
  return code == FUTHARK_SUCCESS ? fe_wait(ctx) : code;
}

// Waits, and yields what failed first since the last time, if anything.
static int fe_failure_fetch(struct futhark_context *ctx, struct fe_failure *failure) {
  struct fe_gpu *gpu = &ctx->gpu;
  int code = FUTHARK_SUCCESS;
  failure->check = 0;
#ifdef FE_TOLD
  code = fe_wait(ctx);
  if (code != FUTHARK_SUCCESS || *fe_stage_told(ctx) == 0) {
    return code;
  }
#endif
  code = fe_driver_copy_out(ctx, fe_stage_failure(ctx), gpu->failure, sizeof *failure, NULL);
  int waited = fe_wait(ctx);
  *failure = *fe_stage_failure(ctx);
  return code == FUTHARK_SUCCESS ? waited : code;
}

// Waits, and looks whether a check has failed since the last time.
FE_SHARED int fe_finish(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (!gpu->open) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there is no device");
  }
  if (!gpu->unchecked) {
    return gpu->busy ? fe_wait(ctx) : FUTHARK_SUCCESS;
  }
  struct fe_failure failure;
  int code = fe_failure_fetch(ctx, &failure);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  gpu->unchecked = false;
  if (failure.check == 0) {
    return FUTHARK_SUCCESS;
  }
  code = fe_failure_reset(ctx);
  if (code == FUTHARK_SUCCESS) {
    fe_program.device_error(ctx, failure.check - 1, failure.values);
    code = FUTHARK_PROGRAM_ERROR;
  }
  return code;
}

// A call has failed, perhaps before kernels that it has launched have run: what fails in these is of that call, and not of the next one.
// Since they were launched before, it is also what the user should hear of.
static void fe_gpu_abandon(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_failure failure;
  gpu->num_asked = 0;
  if (!gpu->open || !gpu->unchecked || fe_failure_fetch(ctx, &failure) != FUTHARK_SUCCESS) {
    return;
  }
  gpu->unchecked = false;
  if (failure.check != 0 && fe_failure_reset(ctx) == FUTHARK_SUCCESS) {
    fe_forget_error(ctx);
    fe_program.device_error(ctx, failure.check - 1, failure.values);
  }
}

// Asks for a copy from the device to us. What is evicted need not go there and back.
static int fe_ask_out(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  const unsigned char *here = fe_copy_at(&ctx->gpu, from);
  if (here != NULL) {
    memcpy(to, here, (size_t)bytes);
    return FUTHARK_SUCCESS;
  }
  struct fe_needed needed = {(void *)(uintptr_t)from, false};
  int code = fe_reach(ctx, (struct fe_who){"a copy to the host", NULL, NULL}, 1, &needed);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  struct fe_stamp *stamp = fe_timing_start(ctx, "copy_dev_to_host", "", FE_ON_BUS, bytes);
  return fe_timing_asked(ctx, stamp, fe_driver_copy_out(ctx, to, needed.address, (size_t)bytes, stamp));
}

FE_SHARED int fe_fetch(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  struct fe_gpu *gpu = &ctx->gpu;
  bool staged = bytes <= FE_STAGED - FE_AWAITED * FE_AWAITED_BYTES;
  unsigned char *stage = fe_stage_in(ctx);
  int code = fe_ask_out(ctx, staged ? stage + FE_AWAITED * FE_AWAITED_BYTES : to, from, bytes);
  if (code == FUTHARK_SUCCESS) {
    code = fe_finish(ctx);
  }
  for (int i = 0; i < gpu->num_awaited && code == FUTHARK_SUCCESS; i++) {
    memcpy(gpu->awaited[i].to, stage + i * FE_AWAITED_BYTES, gpu->awaited[i].bytes);
  }
  gpu->num_awaited = 0;
  if (code == FUTHARK_SUCCESS && staged) {
    memcpy(to, stage + FE_AWAITED * FE_AWAITED_BYTES, (size_t)bytes);
  }
  return code;
}

FE_SHARED int fe_fetch_with_next(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (bytes > FE_AWAITED_BYTES || gpu->num_awaited == FE_AWAITED) {
    return fe_fetch(ctx, to, from, bytes);
  }
  int code = fe_ask_out(ctx, fe_stage_in(ctx) + gpu->num_awaited * FE_AWAITED_BYTES, from, bytes);
  if (code != FUTHARK_SUCCESS) {
    gpu->num_awaited = 0;
    return code;
  }
  gpu->awaited[gpu->num_awaited].to = to;
  gpu->awaited[gpu->num_awaited].bytes = (size_t)bytes;
  gpu->num_awaited++;
  return FUTHARK_SUCCESS;
}

FE_SHARED int fe_ask(struct futhark_context *ctx, const void *from, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (gpu->num_asked == FE_ASKED || bytes > FE_AWAITED_BYTES) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "too much is asked of the device at once");
  }
  const int number = (gpu->first_asked + gpu->num_asked) % FE_ASKED;
  struct fe_asked *asked = fe_stage_asked(ctx, number);
  int code = fe_ask_out(ctx, asked->value, from, bytes);
#ifndef FE_TOLD
  if (code == FUTHARK_SUCCESS) {
    code = fe_driver_copy_out(ctx, &asked->check, &gpu->failure->check, sizeof asked->check, NULL);
  }
#endif
  if (code == FUTHARK_SUCCESS) {
    code = fe_driver_mark(ctx, number);
  }
  gpu->num_asked += code == FUTHARK_SUCCESS ? 1 : 0;
  return code;
}

FE_SHARED int fe_receive(struct futhark_context *ctx, void *to, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (gpu->num_asked == 0) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "nothing was asked of the device");
  }
  const int number = gpu->first_asked;
  gpu->first_asked = (number + 1) % FE_ASKED;
  gpu->num_asked--;
  int code = fe_driver_await(ctx, number);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  const struct fe_asked *asked = fe_stage_asked(ctx, number);
#ifdef FE_TOLD
  const bool failed = *fe_stage_told(ctx) != 0;
#else
  const bool failed = asked->check != 0;
#endif
  memcpy(to, asked->value, (size_t)bytes);
  return failed ? fe_finish(ctx) : FUTHARK_SUCCESS;
}

FE_SHARED void *fe_fetch_new(struct futhark_context *ctx, const void *from, int64_t bytes) {
  void *to = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
  if (to == NULL) {
    fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot copy %" PRId64 " bytes from the device", bytes);
  } else if (fe_fetch(ctx, to, from, bytes) != FUTHARK_SUCCESS) {
    free(to);
    to = NULL;
  }
  return to;
}

FE_SHARED int fe_put(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  bool staged = bytes <= FE_STAGED;
  struct fe_needed needed = {to, true};
  int code = fe_reach(ctx, (struct fe_who){"a copy from the host", NULL, NULL}, 1, &needed);
  if (staged && code == FUTHARK_SUCCESS) {
    if (gpu->stage_used + bytes > FE_STAGE - 2 * FE_STAGED) {
      code = fe_wait(ctx);
    }
    void *stage = fe_stage_out(ctx) + gpu->stage_used;
    memcpy(stage, from, (size_t)bytes);
    gpu->stage_used += (bytes + 63) / 64 * 64;
    from = stage;
  }
  if (code == FUTHARK_SUCCESS) {
    struct fe_stamp *stamp = fe_timing_start(ctx, "copy_host_to_dev", "", FE_ON_BUS, bytes);
    code = fe_timing_asked(ctx, stamp, fe_driver_copy_in(ctx, needed.address, from, (size_t)bytes, stamp));
  }
  return code == FUTHARK_SUCCESS && !staged ? fe_wait(ctx) : code;
}

FE_SHARED int fe_device_copy(struct futhark_context *ctx, void *to, const void *from, int64_t bytes) {
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  struct fe_needed needed[] = {{to, true}, {(void *)(uintptr_t)from, false}};
  int code = fe_reach(ctx, (struct fe_who){"a copy", NULL, NULL}, 2, needed);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  struct fe_stamp *stamp = fe_timing_start(ctx, "copy_dev_to_dev", "", FE_ON_DEVICE, bytes);
  return fe_timing_asked(ctx, stamp, fe_driver_copy(ctx, needed[0].address, needed[1].address, (size_t)bytes, stamp));
}

FE_SHARED int fe_device_zero(struct futhark_context *ctx, void *to, int64_t bytes) {
  if (bytes <= 0) {
    return FUTHARK_SUCCESS;
  }
  struct fe_needed needed = {to, true};
  int code = fe_reach(ctx, (struct fe_who){"an array of zeros", NULL, NULL}, 1, &needed);
  if (code != FUTHARK_SUCCESS) {
    return code;
  }
  struct fe_stamp *stamp = fe_timing_start(ctx, "zero_dev", "", FE_ON_DEVICE, bytes);
  return fe_timing_asked(ctx, stamp, fe_driver_zero(ctx, needed.address, (size_t)bytes, stamp));
}
