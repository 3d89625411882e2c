// How long kernels and copies take. The device records when each began and ended; we query this after waiting for the
// device.

// Where the times of what is asked for next are to be noted, a kernel or a copy of so many bytes; NULL if nobody wants to know them.
static struct fe_stamp *fe_timing_start(struct futhark_context *ctx, const char *name, const char *place, int track, int64_t bytes) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (!ctx->profiling || ctx->profiling_paused) {
    return NULL;
  }
  if (gpu->num_timings == gpu->max_timings) {
    int64_t more = gpu->max_timings == 0 ? 64 : 2 * gpu->max_timings;
    struct fe_timing *timings = realloc(gpu->timings, (size_t)more * sizeof *timings);
    if (timings == NULL) {
      return NULL;
    }
    gpu->timings = timings;
    gpu->max_timings = more;
  }
  struct fe_timing *timing = &gpu->timings[gpu->num_timings];
  memset(timing, 0, sizeof *timing);
  timing->name = name;
  timing->place = place;
  timing->asked = fe_now();
  timing->track = track;
  timing->bytes = bytes;
  timing->operator_ = fe_current_operator(ctx);
  return &timing->stamp;
}

// What was asked for is under way, or has failed.
static int fe_timing_asked(struct futhark_context *ctx, const struct fe_stamp *stamp, int code) {
  ctx->gpu.busy = true;
  if (stamp != NULL && code == FUTHARK_SUCCESS) {
    ctx->gpu.num_timings++;
  }
  return code;
}

// Everything is done: times become events.
static void fe_timings_collect(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  for (int64_t i = 0; i < gpu->num_timings; i++) {
    int64_t start = 0, nanoseconds = 0;
    const struct fe_timing *timing = &gpu->timings[i];
    fe_driver_times(ctx, timing, &start, &nanoseconds);
    struct fe_event event = {timing->name, timing->place, start, start + nanoseconds, timing->track, timing->operator_,
                             timing->bytes};
    fe_event_add(ctx, event);
    if (timing->operator_ >= 0 && timing->track == FE_ON_DEVICE) {
      ctx->profile->spent[timing->operator_].device += nanoseconds;
      ctx->profile->spent[timing->operator_].kernels++;
    }
  }
  gpu->num_timings = 0;
}
