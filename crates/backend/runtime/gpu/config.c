// Configuration of devices. After context.c.

static void fe_set_string(char **place, const char *text) {
  char *copy = text == NULL ? NULL : fe_copy_string(text);
  free(*place);
  *place = copy;
}

void futhark_context_config_set_device(struct futhark_context_config *cfg, const char *s) {
  fe_set_string(&cfg->gpu.device, s);
}

#ifdef FE_OPENCL
void futhark_context_config_set_platform(struct futhark_context_config *cfg, const char *s) {
  fe_set_string(&cfg->gpu.platform, s);
}
#endif

void futhark_context_config_set_device_memory_limit(struct futhark_context_config *cfg, size_t bytes) {
  cfg->gpu.memory_limit = bytes > (size_t)INT64_MAX ? 0 : (int64_t)bytes;
}

void futhark_context_config_set_program(struct futhark_context_config *cfg, const char *program) {
  fe_set_string(&cfg->gpu.program, program);
}

static void fe_add_option(struct futhark_context_config *cfg, const char *option) {
  struct fe_text text = {0};
  if (cfg->gpu.options != NULL) {
    fe_text_words(&text, cfg->gpu.options);
    fe_text_words(&text, "\n");
  }
  fe_text_words(&text, option);
  if (text.failed) {
    free(text.chars);
    return;
  }
  free(cfg->gpu.options);
  cfg->gpu.options = text.chars;
}

#ifdef FE_OPENCL
void futhark_context_config_add_build_option(struct futhark_context_config *cfg, const char *opt) {
  fe_add_option(cfg, opt);
}
#else
void futhark_context_config_add_nvrtc_option(struct futhark_context_config *cfg, const char *opt) {
  fe_add_option(cfg, opt);
}
#endif

void futhark_context_config_set_default_thread_block_size(struct futhark_context_config *cfg, int size) {
  cfg->gpu.block_size = size;
}

void futhark_context_config_set_default_group_size(struct futhark_context_config *cfg, int size) {
  cfg->gpu.block_size = size;
}

void futhark_context_config_set_default_grid_size(struct futhark_context_config *cfg, int num) {
  cfg->gpu.grid_size = num;
}

void futhark_context_config_set_default_num_groups(struct futhark_context_config *cfg, int num) {
  cfg->gpu.grid_size = num;
}

void futhark_context_config_set_default_tile_size(struct futhark_context_config *cfg, int num) {
  cfg->gpu.tile_size = num;
}

void futhark_context_config_set_default_reg_tile_size(struct futhark_context_config *cfg, int num) {
  cfg->gpu.register_tile_size = num;
}

void futhark_context_config_set_default_threshold(struct futhark_context_config *cfg, int num) {
  cfg->gpu.threshold = num;
}
