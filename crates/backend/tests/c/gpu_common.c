// What programs without constants and without checks have.

enum { FE_NUM_CHECKS = 1 };

static void fe_device_error(struct futhark_context *ctx, int check, const int64_t *values) {
  (void)values;
  fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "unknown check %d", check);
}

static int fe_constants_init(struct futhark_context *ctx) {
  (void)ctx;
  return FUTHARK_SUCCESS;
}

static void fe_constants_free(struct futhark_context *ctx) { (void)ctx; }
