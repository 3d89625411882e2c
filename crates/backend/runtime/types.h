// The tables that describe the types of a program: for the command line and the server, and, in shared libraries, for those who load
// them, who know this layout by its number; see bindings.h.
//
// A value is handled through a pointer to its C representation: a scalar is stored as its C type; an
// array or an opaque value as the pointer that the API returns. "out" parameters point to such a location, and
// so do the elements of `fields`, `payload`, `outs`, `elems` and `inputs`, and `elem`. Only parameters called
// `array` or `object` are the pointer of the API itself.

enum fe_kind { FE_PRIM, FE_ARRAY, FE_OPAQUE };

enum fe_class { FE_SIGNED, FE_UNSIGNED, FE_FLOAT, FE_BOOL };

// A primitive type. f16 is held as its bits, in a uint16_t.
struct fe_prim {
  const char *name;
  enum fe_class class_;
  size_t size;
  char tag[5]; // its name in the binary format
};

// Those of values.c.
FE_SHARED_DATA const struct fe_prim fe_prim_i8, fe_prim_i16, fe_prim_i32, fe_prim_i64, fe_prim_u8, fe_prim_u16,
    fe_prim_u32, fe_prim_u64, fe_prim_f16, fe_prim_f32, fe_prim_f64, fe_prim_bool;

struct fe_type;

struct fe_field {
  const char *name;
  const struct fe_type *type;
  int (*project)(struct futhark_context *ctx, void *out, const void *object);
};

struct fe_record {
  int num_fields;
  const struct fe_field *fields;
  // `fields` are pointers to the values of the fields.
  int (*make)(struct futhark_context *ctx, void **out, const void *const *fields);
};

struct fe_variant {
  const char *name;
  int num_payload;
  const struct fe_type *const *payload;
  int (*construct)(struct futhark_context *ctx, void **out, const void *const *payload);
  int (*destruct)(struct futhark_context *ctx, void *const *outs, const void *object);
};

struct fe_sum {
  int num_variants;
  const struct fe_variant *variants;
  int (*variant)(struct futhark_context *ctx, const void *object);
};

// Arrays of opaque values. If the elements are records, then there are also `zip` and the fields, whose
// types are arrays.
struct fe_opaque_array {
  int rank;
  const struct fe_type *elem;
  const int64_t *(*shape)(struct futhark_context *ctx, const void *object);
  int (*index)(struct futhark_context *ctx, void *out, const void *object, const int64_t *indices);
  int (*make)(struct futhark_context *ctx, void **out, const void *const *elems, const int64_t *shape);
  int (*set)(struct futhark_context *ctx, void *object, const void *elem, const int64_t *indices);
  int num_fields;
  const struct fe_field *fields;
  int (*zip)(struct futhark_context *ctx, void **out, const void *const *fields);
};

struct fe_type {
  const char *name; // as users write it, without sizes: "i32", "[][]f32", "point"
  enum fe_kind kind;
  const struct fe_prim *prim; // of scalars, and of the elements of arrays
  size_t size;                // bytes of the C representation
  // Arrays.
  int rank;
  void *(*array_new)(struct futhark_context *ctx, const void *data, const int64_t *shape);
  void *(*array_new_raw)(struct futhark_context *ctx, void *data, const int64_t *shape);
  void *(*array_values_raw)(struct futhark_context *ctx, void *array);
  bool (*array_sole)(const void *array); // whether nobody else has its memory
  int (*array_free)(struct futhark_context *ctx, void *array);
  int (*array_values)(struct futhark_context *ctx, void *array, void *data);
  const int64_t *(*array_shape)(struct futhark_context *ctx, void *array);
  int (*array_index)(struct futhark_context *ctx, void *out, void *array, const int64_t *indices);
  // Opaque values.
  int (*opaque_free)(struct futhark_context *ctx, void *object);
  int (*opaque_store)(struct futhark_context *ctx, const void *object, void **bytes, size_t *size);
  void *(*opaque_restore)(struct futhark_context *ctx, const void *bytes);
  const struct fe_record *record;
  const struct fe_sum *sum;
  const struct fe_opaque_array *opaque_array;
};
