// The device program: put together, compiled for the device that we have, or taken from what was compiled before.

// The whole text of the program in memory of its own; NULL if there is none.
static char *fe_device_program(void) {
  struct fe_text text = {0};
  for (int i = 0; fe_device_prelude[i] != NULL; i++) {
    fe_text_words(&text, fe_device_prelude[i]);
  }
  for (int i = 0; fe_device_source[i] != NULL; i++) {
    fe_text_words(&text, fe_device_source[i]);
  }
  if (text.failed) {
    free(text.chars);
    return NULL;
  }
  return text.chars;
}

const char *futhark_context_config_get_program(struct futhark_context_config *cfg) {
  if (cfg->gpu.program == NULL) {
    cfg->gpu.program = fe_device_program();
  }
  return cfg->gpu.program;
}

static int fe_load_kernels(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  gpu->kernels = calloc(FE_NUM_KERNELS + 1, sizeof *gpu->kernels);
  if (gpu->kernels == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot load kernels");
  }
  int code = FUTHARK_SUCCESS;
  for (int i = 0; i < FE_NUM_KERNELS && code == FUTHARK_SUCCESS; i++) {
    code = fe_driver_kernel(ctx, fe_kernels[i].name, &gpu->kernels[i]);
  }
  return code;
}

// Compiles the program, and keeps the result if there is a place for it.
static int fe_compile_kernels(struct futhark_context *ctx, const char *source, const char *path, const char *digest) {
  const char *options = ctx->cfg->gpu.options == NULL ? "" : ctx->cfg->gpu.options;
  int64_t start = fe_now();
  int code = fe_driver_compile(ctx, source, options);
  if (code == FUTHARK_SUCCESS) {
    fe_log(ctx, "compiled the kernels in %.1f ms", (double)(fe_now() - start) / 1e6);
  }
  if (code == FUTHARK_SUCCESS && path != NULL) {
    size_t size = 0;
    unsigned char *binary = fe_driver_binary(ctx, &size);
    bool written = binary != NULL && fe_cache_write(path, digest, binary, size);
    fe_log(ctx, written ? "kept the compiled kernels in %s" : "cannot keep the compiled kernels in %s", path);
    free(binary);
  }
  return code;
}

static int fe_build_program(struct futhark_context *ctx) {
  if (FE_NUM_KERNELS == 0) {
    return FUTHARK_SUCCESS;
  }
  const char *source = futhark_context_config_get_program(ctx->cfg);
  if (source == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot make the device program");
  }
  char digest[65];
  const char *const parts[] = {ctx->gpu.identity, ctx->cfg->gpu.options == NULL ? "" : ctx->cfg->gpu.options, source};
  fe_digest_texts(parts, 3, digest);
  bool keeps = fe_driver_keeps(ctx) && ctx->cfg->cache_file == NULL;
  char *path = keeps ? NULL : fe_cache_path(ctx, digest);
  size_t size = 0;
  unsigned char *kept = path == NULL ? NULL : fe_cache_read(path, digest, &size);
  int code = FUTHARK_PROGRAM_ERROR;
  if (kept != NULL) {
    // The driver may have changed in a way that nothing told us.
    code = fe_driver_load(ctx, kept, size);
    fe_log(ctx, code == FUTHARK_SUCCESS ? "the compiled kernels are those of %s" : "cannot use the kernels of %s", path);
    free(kept);
  }
  if (code != FUTHARK_SUCCESS) {
    code = fe_compile_kernels(ctx, source, path, digest);
  }
  free(path);
  return code == FUTHARK_SUCCESS ? fe_load_kernels(ctx) : code;
}
