// The device program: assembled, and compiled for the device at hand or taken from the cache.
//
// Each part of it is compiled when a kernel of that part is first launched: a program has kernels for several versions
// of its operators, and uses few of them. The text of a kernel is enclosed in an `#if` that tests the number FE_PART,
// so that the same text of the whole program can be used for every part. A kernel that is launched with shared memory is another
// part than the same kernel without (FE_WITH_SHARED).

// The whole text of the program in memory of its own; NULL if there is none.
static char *fe_device_program(void) {
  struct fe_text text = {0};
  for (int i = 0; fe_device_prelude[i] != NULL; i++) {
    fe_text_words(&text, fe_device_prelude[i]);
  }
  for (int i = 0; fe_program.device_source[i] != NULL; i++) {
    fe_text_words(&text, fe_program.device_source[i]);
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

// What the user wants the compiler to be told.
static const char *fe_user_options(struct futhark_context *ctx) {
  return ctx->cfg->gpu.options == NULL ? "" : ctx->cfg->gpu.options;
}

// Makes room for the kernels, and looks up what was compiled before. Nothing is compiled yet.
static int fe_build_init(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  gpu->num_parts = fe_program.num_kernels == 0 ? 0 : fe_driver_divides(ctx) ? 2 * fe_program.num_kernels : 1;
  gpu->kernels = calloc(2 * (size_t)fe_program.num_kernels + 1, sizeof *gpu->kernels);
  gpu->parts = calloc((size_t)gpu->num_parts + 1, sizeof *gpu->parts);
  const char *source = futhark_context_config_get_program(ctx->cfg);
  if (gpu->kernels == NULL || gpu->parts == NULL || source == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot create the device program");
  }
  const char *const texts[] = {gpu->identity, fe_user_options(ctx), source};
  fe_digest_texts(texts, 3, gpu->digest);
  bool keeps = fe_driver_keeps(ctx) && ctx->cfg->cache_file == NULL;
  gpu->cache_path = keeps || gpu->num_parts == 0 ? NULL : fe_cache_path(ctx, gpu->digest);
  if (gpu->cache_path != NULL && fe_cache_read(gpu->cache_path, gpu->digest, gpu->parts, gpu->num_parts) > 0) {
    fe_log(ctx, "using the compiled kernels in %s", gpu->cache_path);
  }
  return FUTHARK_SUCCESS;
}

// Compiles a part.
static int fe_build_part(struct futhark_context *ctx, int number) {
  struct fe_gpu *gpu = &ctx->gpu;
  struct fe_part *part = &gpu->parts[number];
  struct fe_text source = {0};
  if (gpu->num_parts > 1) {
    fe_text_words(&source, "#define FE_PART ");
    fe_text_number(&source, number % fe_program.num_kernels);
    fe_text_words(&source, number < fe_program.num_kernels ? "\n" : "\n#define FE_WITH_SHARED\n");
  }
  fe_text_words(&source, futhark_context_config_get_program(ctx->cfg));
  if (source.failed) {
    free(source.chars);
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot create the device program");
  }
  int64_t start = fe_now();
  int code = fe_driver_compile(ctx, source.chars, fe_user_options(ctx), part);
  free(source.chars);
  if (code == FUTHARK_SUCCESS) {
    fe_log(ctx, "compiled %s in %.1f ms", gpu->num_parts > 1 ? fe_program.kernels[number % fe_program.num_kernels].name : "all kernels",
           (double)(fe_now() - start) / 1e6);
    gpu->compiled = true;
  }
  return code;
}

// Finds a kernel by its place in the list, loading or compiling the part that it is in if this is the first time.
FE_COLD static int fe_find_kernel(struct futhark_context *ctx, int kernel) {
  struct fe_gpu *gpu = &ctx->gpu;
  int number = gpu->num_parts > 1 ? kernel : 0;
  struct fe_part *part = &gpu->parts[number];
  // What was kept may be no longer good: the driver may have changed in a way that nothing told us.
  if (part->module == NULL && part->image != NULL && fe_driver_load(ctx, part) != FUTHARK_SUCCESS) {
    fe_log(ctx, "cannot use the kernels in %s", gpu->cache_path);
    free(part->image);
    part->image = NULL;
  }
  int code = part->module == NULL ? fe_build_part(ctx, number) : FUTHARK_SUCCESS;
  return code == FUTHARK_SUCCESS ? fe_driver_kernel(ctx, part, fe_program.kernels[kernel % fe_program.num_kernels].name,
                                                                   &gpu->kernels[kernel]) : code;
}

// Keeps what was compiled, together with what others have kept in the meantime, and releases all.
static void fe_build_free(struct futhark_context *ctx) {
  struct fe_gpu *gpu = &ctx->gpu;
  if (gpu->compiled && gpu->cache_path != NULL) {
    fe_cache_read(gpu->cache_path, gpu->digest, gpu->parts, gpu->num_parts);
    bool written = fe_cache_write(gpu->cache_path, gpu->digest, gpu->parts, gpu->num_parts);
    fe_log(ctx, written ? "cached the compiled kernels in %s" : "cannot cache the compiled kernels in %s", gpu->cache_path);
  }
  for (int i = 0; gpu->kernels != NULL && i < 2 * fe_program.num_kernels; i++) {
    if (gpu->kernels[i] != NULL) {
      fe_driver_release_kernel(ctx, gpu->kernels[i]);
    }
  }
  for (int i = 0; gpu->parts != NULL && i < gpu->num_parts; i++) {
    if (gpu->parts[i].module != NULL) {
      fe_driver_unload(ctx, &gpu->parts[i]);
    }
    free(gpu->parts[i].image);
  }
  free(gpu->kernels);
  free(gpu->parts);
  free(gpu->cache_path);
}
