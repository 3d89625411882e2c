// What the functions of the public interface have in common. They are written by the compiler, one set
// for each type, as thin as possible.
//
// An object is a struct of the parts p0, p1, ... of a value: a scalar is its C type; an array is a struct
// of a handle, `mem`, and of a `shape`. Objects share memory, and it is never changed behind the back of
// another one, except by entry points that consume their arguments.

// An object with all parts empty; NULL if there is no memory.
FE_SHARED void *fe_new_object(struct futhark_context *ctx, size_t size);

// The number of elements; -1 if there are too many, or if a size is negative.
FE_SHARED int64_t fe_volume(const int64_t *shape, int rank);

// The elements of arrays are only touched by the following four functions: they may be in the memory of a device. Those
// that fail leave a message.

// Copies bytes out of an array.
FE_SHARED int fe_copy_out(struct futhark_context *ctx, void *out, const struct fe_mem *mem, int64_t offset,
                          int64_t bytes);

// Copies bytes into an array.
FE_SHARED int fe_copy_in(struct futhark_context *ctx, struct fe_mem *mem, int64_t offset, const void *data,
                         int64_t bytes);

// Copies bytes from the beginning of an array into another one.
FE_SHARED int fe_copy_across(struct futhark_context *ctx, struct fe_mem *mem, int64_t offset,
                             const struct fe_mem *from, int64_t bytes);

// Makes the bytes of an array zero.
FE_SHARED int fe_clear(struct futhark_context *ctx, struct fe_mem *mem, int64_t bytes);

// Makes an array of elements of this size, with a copy of the data, or of zeros if there is none.
FE_SHARED int fe_make_array(struct futhark_context *ctx, struct fe_mem *mem, int64_t *shape,
                            const int64_t *sizes, int rank, int64_t elem_size, const void *data);

// Makes an array that shares the memory of another one.
FE_SHARED void fe_share_array(struct futhark_context *ctx, struct fe_mem *mem, int64_t *shape,
                              const struct fe_mem *from_mem, const int64_t *from_shape, int rank);

// Makes sure that nobody else sees when this array is changed.
FE_SHARED int fe_own_array(struct futhark_context *ctx, struct fe_mem *mem, int64_t bytes);

// Finds the position, in row-major order, of an element.
FE_SHARED int fe_locate(struct futhark_context *ctx, const int64_t *shape, int rank, const int64_t *indices,
                        int64_t *position);

// Whether parts that belong together have the same sizes.
FE_SHARED int fe_same_shape(struct futhark_context *ctx, const int64_t *a, const int64_t *b, int rank,
                            const char *what);

// Opaque values as bytes: FE_STORE_MAGIC, the number of all bytes, a number for the type, and the parts.

// With `bytes` NULL it only counts.
struct fe_writer {
  struct futhark_context *ctx;
  unsigned char *bytes;
  size_t size;
  int code;
};

FE_SHARED void fe_pack(struct fe_writer *w, const void *data, size_t size);

FE_SHARED void fe_pack_array(struct fe_writer *w, const struct fe_mem *mem, const int64_t *shape, int rank,
                             int64_t elem_size);

FE_SHARED int fe_store(struct futhark_context *ctx, uint64_t type, const void *object,
                       void (*pack)(struct fe_writer *w, const void *object), void **p, size_t *n);

// What is still to be read, and whether something was wrong.
struct fe_reader {
  const unsigned char *bytes;
  size_t left;
  int code;
};

FE_SHARED void fe_get(struct fe_reader *r, void *out, size_t size);

FE_SHARED void fe_get_bool(struct fe_reader *r, bool *out);

FE_SHARED void fe_get_shape(struct fe_reader *r, int64_t *shape, int rank);

FE_SHARED void fe_get_array(struct futhark_context *ctx, struct fe_reader *r, struct fe_mem *mem,
                            int64_t *shape, int rank, int64_t elem_size);

FE_SHARED struct fe_reader fe_restore(const void *p, uint64_t wanted_type);

// Whether everything was read, and nothing is left over.
FE_SHARED int fe_restored(struct futhark_context *ctx, const struct fe_reader *r, const char *name);

// Arguments of an entry point whose sizes disagree. Arguments are counted from one, and a record counts
// as its parts.
FE_SHARED int fe_wrong_size(struct futhark_context *ctx, const char *entry, int argument, int dimension,
                            int64_t found, const char *name, int64_t wanted);
