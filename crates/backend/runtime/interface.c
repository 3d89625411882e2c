// Objects of the public interface: making, copying, storing and restoring them.

FE_SHARED void *fe_new_object(struct futhark_context *ctx, size_t size) {
  if (fe_usable(ctx) != FUTHARK_SUCCESS) {
    return NULL;
  }
  void *object = calloc(1, size);
  if (object == NULL) {
    fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot create an object");
  }
  return object;
}

FE_COLD FE_SHARED void fe_no_value(struct futhark_context *ctx, const char *function, const char *argument) {
  fe_forget_error(ctx);
  fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "%s: the argument \"%s\" is NULL", function, argument);
}

FE_SHARED int64_t fe_volume(const int64_t *shape, int rank) {
  int64_t count = 1;
  bool empty = false;
  for (int i = 0; i < rank; i++) {
    if (shape[i] < 0) {
      return -1;
    }
    empty = empty || shape[i] == 0;
  }
  for (int i = 0; i < rank && !empty; i++) {
    if (count > FE_MAX_BLOCK / shape[i]) {
      return -1;
    }
    count *= shape[i];
  }
  return empty ? 0 : count;
}

FE_SHARED int fe_copy_out(struct futhark_context *ctx, void *out, const struct fe_mem *mem, int64_t offset,
                          int64_t bytes) {
  if (out == NULL && bytes > 0) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there is no place for the %" PRId64 " bytes of a value", bytes);
  }
#ifdef FE_GPU
  return fe_fetch(ctx, out, mem->data + offset, bytes);
#else
  (void)ctx;
  if (bytes > 0) {
    memcpy(out, mem->data + offset, (size_t)bytes);
  }
  return FUTHARK_SUCCESS;
#endif
}

FE_SHARED int fe_copy_in(struct futhark_context *ctx, struct fe_mem *mem, int64_t offset, const void *data,
                         int64_t bytes) {
#ifdef FE_GPU
  return fe_put(ctx, mem->data + offset, data, bytes);
#else
  (void)ctx;
  if (bytes > 0) {
    memcpy(mem->data + offset, data, (size_t)bytes);
  }
  return FUTHARK_SUCCESS;
#endif
}

FE_SHARED int fe_copy_across(struct futhark_context *ctx, struct fe_mem *mem, int64_t offset,
                             const struct fe_mem *from, int64_t bytes) {
#ifdef FE_GPU
  return fe_device_copy(ctx, mem->data + offset, from->data, bytes);
#else
  return fe_copy_in(ctx, mem, offset, from->data, bytes);
#endif
}

FE_SHARED int fe_clear(struct futhark_context *ctx, struct fe_mem *mem, int64_t bytes) {
#ifdef FE_GPU
  return fe_device_zero(ctx, mem->data, bytes);
#else
  (void)ctx;
  if (bytes > 0) {
    memset(mem->data, 0, (size_t)bytes);
  }
  return FUTHARK_SUCCESS;
#endif
}

FE_SHARED int fe_make_array(struct futhark_context *ctx, struct fe_mem *mem, int64_t *shape,
                            const int64_t *sizes, int rank, int64_t elem_size, const void *data) {
  for (int i = 0; i < rank; i++) {
    if (sizes[i] < 0) {
      return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "dimension %d of an array cannot have size %" PRId64, i, sizes[i]);
    }
    shape[i] = sizes[i];
  }
  int64_t bytes = fe_bytes(fe_volume(shape, rank), elem_size);
  int code = fe_alloc(ctx, mem, bytes);
  if (code == FUTHARK_SUCCESS) {
    code = data == NULL ? fe_clear(ctx, mem, bytes) : fe_copy_in(ctx, mem, 0, data, bytes);
  }
  return code;
}

FE_SHARED void fe_share_array(struct futhark_context *ctx, struct fe_mem *mem, int64_t *shape,
                              const struct fe_mem *from_mem, const int64_t *from_shape, int rank) {
  fe_share(ctx, mem, from_mem, 0);
  memcpy(shape, from_shape, (size_t)rank * sizeof *shape);
}

FE_SHARED int fe_own_array(struct futhark_context *ctx, struct fe_mem *mem, int64_t bytes) {
  if (mem->block != NULL && mem->block->refs == 1) {
    return FUTHARK_SUCCESS;
  }
  struct fe_mem own = {0};
  int code = fe_alloc(ctx, &own, bytes);
  if (code == FUTHARK_SUCCESS) {
    code = fe_copy_across(ctx, &own, 0, mem, bytes);
  }
  if (code == FUTHARK_SUCCESS) {
    fe_free(ctx, mem);
    *mem = own;
  } else {
    fe_free(ctx, &own);
  }
  return code;
}

// Writes "[1][2]" or, with another separator, "[1, 2]"; what does not fit is left out.
static void fe_show_sizes(char *out, size_t size, const int64_t *numbers, int count, const char *separator) {
  size_t at = 0;
  for (int i = 0; i < count && at < size; i++) {
    int length = snprintf(out + at, size - at, "%s%" PRId64, i == 0 ? "[" : separator, numbers[i]);
    at += length > 0 ? (size_t)length : 0;
  }
  if (at < size) {
    snprintf(out + at, size - at, "]");
  }
}

FE_SHARED int fe_locate(struct futhark_context *ctx, const int64_t *shape, int rank, const int64_t *indices,
                        int64_t *position) {
  int64_t at = 0;
  for (int i = 0; i < rank; i++) {
    if (indices[i] < 0 || indices[i] >= shape[i]) {
      char found[256] = "", sizes[256] = "";
      fe_show_sizes(found, sizeof found, indices, rank, ", ");
      fe_show_sizes(sizes, sizeof sizes, shape, rank, "][");
      return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "Index %s out of bounds for array of shape %s.", found, sizes);
    }
    at = at * shape[i] + indices[i];
  }
  *position = at;
  return FUTHARK_SUCCESS;
}

FE_SHARED int fe_same_shape(struct futhark_context *ctx, const int64_t *a, const int64_t *b, int rank,
                            const char *what) {
  for (int i = 0; i < rank; i++) {
    if (a[i] != b[i]) {
      char found[256] = "", wanted[256] = "";
      fe_show_sizes(wanted, sizeof wanted, a, rank, "][");
      fe_show_sizes(found, sizeof found, b, rank, "][");
      return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "%s have different shapes: %s and %s", what, wanted, found);
    }
  }
  return FUTHARK_SUCCESS;
}

FE_SHARED void fe_pack(struct fe_writer *w, const void *data, size_t size) {
  if (w->bytes != NULL && size > 0) {
    memcpy(w->bytes + w->size, data, size);
  }
  w->size += size;
}

FE_SHARED void fe_pack_array(struct fe_writer *w, const struct fe_mem *mem, const int64_t *shape, int rank,
                             int64_t elem_size) {
  fe_pack(w, shape, (size_t)rank * sizeof *shape);
  int64_t bytes = fe_volume(shape, rank) * elem_size;
  if (w->bytes != NULL && w->code == FUTHARK_SUCCESS) {
    w->code = fe_copy_out(w->ctx, w->bytes + w->size, mem, 0, bytes);
  }
  w->size += (size_t)bytes;
}

#define FE_STORE_MAGIC UINT64_C(0x3130307575686566)

static void fe_pack_object(struct fe_writer *w, uint64_t size, uint64_t type, const void *object,
                          void (*pack)(struct fe_writer *w, const void *object)) {
  uint64_t magic = FE_STORE_MAGIC;
  fe_pack(w, &magic, sizeof magic);
  fe_pack(w, &size, sizeof size);
  fe_pack(w, &type, sizeof type);
  pack(w, object);
}

FE_SHARED int fe_store(struct futhark_context *ctx, uint64_t type, const void *object,
                       void (*pack)(struct fe_writer *w, const void *object), void **p, size_t *n) {
  struct fe_writer w = {.ctx = ctx};
  fe_pack_object(&w, 0, type, object, pack);
  *n = w.size;
  if (p == NULL) {
    return FUTHARK_SUCCESS;
  }
  bool own = *p == NULL;
  if (own) {
    *p = malloc(*n);
  }
  if (*p == NULL) {
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "out of memory: cannot store a value of %zu bytes", *n);
  }
  struct fe_writer real = {.ctx = ctx, .bytes = *p};
  fe_pack_object(&real, w.size, type, object, pack);
  if (real.code != FUTHARK_SUCCESS && own) {
    free(*p);
    *p = NULL;
  }
  return real.code;
}

FE_SHARED void fe_get(struct fe_reader *r, void *out, size_t size) {
  if (r->code == FUTHARK_SUCCESS && size > r->left) {
    r->code = FUTHARK_PROGRAM_ERROR;
  }
  if (r->code == FUTHARK_SUCCESS && size > 0) {
    memcpy(out, r->bytes, size);
    r->bytes += size;
    r->left -= size;
  }
}

FE_SHARED void fe_get_bool(struct fe_reader *r, bool *out) {
  unsigned char byte = 0;
  fe_get(r, &byte, 1);
  *out = byte != 0;
}

FE_SHARED void fe_get_shape(struct fe_reader *r, int64_t *shape, int rank) {
  fe_get(r, shape, (size_t)rank * sizeof *shape);
  if (r->code == FUTHARK_SUCCESS && fe_volume(shape, rank) < 0) {
    r->code = FUTHARK_PROGRAM_ERROR;
  }
}

FE_SHARED void fe_get_array(struct futhark_context *ctx, struct fe_reader *r, struct fe_mem *mem,
                            int64_t *shape, int rank, int64_t elem_size) {
  fe_get_shape(r, shape, rank);
  int64_t bytes = r->code == FUTHARK_SUCCESS ? fe_bytes(fe_volume(shape, rank), elem_size) : 0;
  if (bytes < 0 || (uint64_t)bytes > r->left) {
    r->code = FUTHARK_PROGRAM_ERROR;
  }
  if (r->code == FUTHARK_SUCCESS) {
    r->code = fe_alloc(ctx, mem, bytes);
  }
  if (r->code == FUTHARK_SUCCESS) {
    r->code = fe_copy_in(ctx, mem, 0, r->bytes, bytes);
    r->bytes += bytes;
    r->left -= (size_t)bytes;
  }
}

FE_SHARED void fe_get_bools(struct futhark_context *ctx, struct fe_reader *r, struct fe_mem *mem,
                            int64_t *shape, int rank) {
  struct fe_reader ahead = *r;
  fe_get_shape(&ahead, shape, rank);
  int64_t count = ahead.code == FUTHARK_SUCCESS ? fe_volume(shape, rank) : 0;
  for (int64_t i = 0; i < count && (uint64_t)count <= ahead.left; i++) {
    if (ahead.bytes[i] > 1) {
      r->code = FUTHARK_PROGRAM_ERROR;
    }
  }
  fe_get_array(ctx, r, mem, shape, rank, (int64_t)sizeof(bool));
}

FE_SHARED void fe_get_same(struct fe_reader *r, const int64_t *a, const int64_t *b, int rank) {
  if (r->code == FUTHARK_SUCCESS && memcmp(a, b, (size_t)rank * sizeof *a) != 0) {
    r->code = FUTHARK_PROGRAM_ERROR;
  }
}

FE_SHARED struct fe_reader fe_restore(const void *p, uint64_t wanted_type) {
  uint64_t magic = 0, size = 0, type = 0;
  struct fe_reader r = {p, p == NULL ? 0 : 3 * sizeof(uint64_t), FUTHARK_SUCCESS};
  fe_get(&r, &magic, sizeof magic);
  if (magic == FE_STORE_MAGIC) {
    fe_get(&r, &size, sizeof size);
    fe_get(&r, &type, sizeof type);
  }
  if (type != wanted_type || size < 3 * sizeof(uint64_t) || size > (uint64_t)FE_MAX_BLOCK) {
    r.code = FUTHARK_PROGRAM_ERROR;
  } else {
    r.left = (size_t)size - 3 * sizeof(uint64_t);
  }
  return r;
}

FE_SHARED int fe_restored(struct futhark_context *ctx, const struct fe_reader *r, const char *name) {
  if (r->code == FUTHARK_SUCCESS && r->left == 0) {
    return FUTHARK_SUCCESS;
  }
  return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "these bytes are not a value of type %s of this program", name);
}

FE_SHARED int fe_wrong_size(struct futhark_context *ctx, const char *entry, const char *argument,
                            int dimension, int64_t found, const char *name, int64_t wanted) {
  if (name == NULL) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "entry point arguments have invalid sizes: dimension %d of %s of \"%s\" "
                   "is %" PRId64 ", but should be %" PRId64, dimension, argument, entry, found, wanted);
  }
  return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "entry point arguments have invalid sizes: dimension %d of %s of \"%s\" "
                 "is %" PRId64 ", but should be \"%s\", which is %" PRId64, dimension, argument, entry, found, name,
                 wanted);
}
