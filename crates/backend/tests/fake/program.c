// A program as the compiler would write it, but by hand and small: a context that does nothing, some types, and entry
// points that compute, fail and consume. The files of the runtime that are tested come after it.
//
// Objects are counted, and a context that ends before its objects is an error; the address sanitizer sees the rest.

#include "base.h"

// ---- The context ----

struct futhark_context_config {
  int debugging, logging, profiling, threads;
  size_t param;
  const char *cache_file;
};

struct futhark_context {
  struct futhark_context_config *cfg;
  char *error;
  int objects;
  int cleared, paused;
};

struct futhark_context_config *futhark_context_config_new(void) {
  return calloc(1, sizeof(struct futhark_context_config));
}
void futhark_context_config_free(struct futhark_context_config *cfg) { free(cfg); }
void futhark_context_config_set_debugging(struct futhark_context_config *cfg, int flag) { cfg->debugging = flag; }
void futhark_context_config_set_logging(struct futhark_context_config *cfg, int flag) { cfg->logging = flag; }
void futhark_context_config_set_profiling(struct futhark_context_config *cfg, int flag) { cfg->profiling = flag; }
void futhark_context_config_set_num_threads(struct futhark_context_config *cfg, int n) { cfg->threads = n; }
void futhark_context_config_set_cache_file(struct futhark_context_config *cfg, const char *name) {
  cfg->cache_file = name;
}

int futhark_get_tuning_param_count(void) { return 2; }
const char *futhark_get_tuning_param_name(int i) { return i == 0 ? "main.tile" : "main.block"; }
const char *futhark_get_tuning_param_class(int i) { return i == 0 ? "tile_size" : "threshold(1024)"; }

int futhark_context_config_set_tuning_param(struct futhark_context_config *cfg, const char *name, size_t value) {
  if (strcmp(name, "main.tile") != 0) {
    return 1;
  }
  cfg->param = value;
  return 0;
}

struct futhark_context *futhark_context_new(struct futhark_context_config *cfg) {
  struct futhark_context *ctx = calloc(1, sizeof *ctx);
  ctx->cfg = cfg;
  if (cfg->cache_file != NULL && strcmp(cfg->cache_file, "broken") == 0) {
    ctx->error = strdup("the cache is broken");
  }
  return ctx;
}

void futhark_context_free(struct futhark_context *ctx) {
  if (ctx->objects != 0) {
    fprintf(stderr, "%d objects were not freed\n", ctx->objects);
    abort();
  }
  free(ctx->error);
  free(ctx);
}

int futhark_context_sync(struct futhark_context *ctx) {
  (void)ctx;
  return 0;
}

char *futhark_context_get_error(struct futhark_context *ctx) {
  char *error = ctx->error;
  ctx->error = NULL;
  return error;
}

char *futhark_context_report(struct futhark_context *ctx) {
  char text[200];
  snprintf(text, sizeof text, "{\"param\":%zu,\"threads\":%d,\"cleared\":%d,\"paused\":%d,\"profiling\":%d}",
           ctx->cfg->param, ctx->cfg->threads, ctx->cleared, ctx->paused, ctx->cfg->profiling);
  return strdup(text);
}

int futhark_context_clear_caches(struct futhark_context *ctx) {
  ctx->cleared++;
  return 0;
}
void futhark_context_pause_profiling(struct futhark_context *ctx) { ctx->paused = 1; }
void futhark_context_unpause_profiling(struct futhark_context *ctx) { ctx->paused = 0; }

static int fake_fail(struct futhark_context *ctx, const char *message) {
  free(ctx->error);
  ctx->error = strdup(message);
  return FUTHARK_PROGRAM_ERROR;
}

#include "types.h"
#include "entries.h"

// ---- Arrays ----

struct fake_array {
  int rank;
  int64_t shape[2];
  size_t size; // of an element
  unsigned char *data;
};

static size_t fake_count(const struct fake_array *array) {
  return (size_t)(array->shape[0] * (array->rank == 2 ? array->shape[1] : 1));
}

static struct fake_array *fake_array(struct futhark_context *ctx, int rank, size_t size, const int64_t *shape,
                                     const void *data) {
  struct fake_array *array = calloc(1, sizeof *array);
  array->rank = rank;
  array->size = size;
  memcpy(array->shape, shape, sizeof(int64_t) * (size_t)rank);
  array->data = malloc(fake_count(array) * size + 1);
  memcpy(array->data, data, fake_count(array) * size);
  ctx->objects++;
  return array;
}

static void *new_i32_1d(struct futhark_context *ctx, const void *data, const int64_t *shape) {
  if (shape[0] == 13) {
    fake_fail(ctx, "Error: thirteen is an unlucky size");
    return NULL;
  }
  return fake_array(ctx, 1, 4, shape, data);
}
static void *new_f32_1d(struct futhark_context *ctx, const void *data, const int64_t *shape) {
  return fake_array(ctx, 1, 4, shape, data);
}
static void *new_f32_2d(struct futhark_context *ctx, const void *data, const int64_t *shape) {
  return fake_array(ctx, 2, 4, shape, data);
}
static int free_array(struct futhark_context *ctx, void *object) {
  struct fake_array *array = object;
  free(array->data);
  free(array);
  ctx->objects--;
  return 0;
}
static int array_values(struct futhark_context *ctx, void *object, void *data) {
  (void)ctx;
  struct fake_array *array = object;
  memcpy(data, array->data, fake_count(array) * array->size);
  return 0;
}
static const int64_t *array_shape(struct futhark_context *ctx, void *object) {
  (void)ctx;
  return ((struct fake_array *)object)->shape;
}
static int array_index(struct futhark_context *ctx, void *out, void *object, const int64_t *indices) {
  (void)ctx;
  struct fake_array *array = object;
  int64_t at = array->rank == 1 ? indices[0] : indices[0] * array->shape[1] + indices[1];
  memcpy(out, array->data + (size_t)at * array->size, array->size);
  return 0;
}

#define ARRAY(NAME, PRIM, RANK, NEW)                                                                                   \
  {.name = NAME, .kind = FE_ARRAY, .prim = &PRIM, .size = sizeof(void *), .rank = RANK, .array_new = NEW,              \
   .array_free = free_array, .array_values = array_values, .array_shape = array_shape, .array_index = array_index}

static const struct fe_type type_i32 = {.name = "i32", .kind = FE_PRIM, .prim = &fe_prim_i32, .size = 4};
static const struct fe_type type_f32 = {.name = "f32", .kind = FE_PRIM, .prim = &fe_prim_f32, .size = 4};
static const struct fe_type type_i32_1d = ARRAY("[]i32", fe_prim_i32, 1, new_i32_1d);
static const struct fe_type type_f32_1d = ARRAY("[]f32", fe_prim_f32, 1, new_f32_1d);
static const struct fe_type type_f32_2d = ARRAY("[][]f32", fe_prim_f32, 2, new_f32_2d);

// ---- Opaque values: each has a number, a float and perhaps an array ----

struct fake_opaque {
  int32_t number;
  float real;
  int32_t count; // of elements, or -1 if there is no array
  int32_t *array;
};

static struct fake_opaque *fake_opaque(struct futhark_context *ctx, int32_t number, float real, int32_t count,
                                       const int32_t *array) {
  struct fake_opaque *opaque = calloc(1, sizeof *opaque);
  *opaque = (struct fake_opaque){number, real, count, NULL};
  if (count >= 0) {
    opaque->array = malloc((size_t)count * 4 + 1);
    memcpy(opaque->array, array, (size_t)count * 4);
  }
  ctx->objects++;
  return opaque;
}
static int free_opaque(struct futhark_context *ctx, void *object) {
  free(((struct fake_opaque *)object)->array);
  free(object);
  ctx->objects--;
  return 0;
}
static int store_opaque(struct futhark_context *ctx, const void *object, void **bytes, size_t *size) {
  (void)ctx;
  const struct fake_opaque *opaque = object;
  size_t array = opaque->count < 0 ? 0 : (size_t)opaque->count * 4;
  *size = 12 + array;
  *bytes = malloc(*size);
  memcpy(*bytes, opaque, 12);
  memcpy((char *)*bytes + 12, array == 0 ? (void *)opaque : (void *)opaque->array, array);
  return 0;
}
static void *restore_opaque(struct futhark_context *ctx, const void *bytes) {
  struct fake_opaque opaque;
  memcpy(&opaque, bytes, 12);
  int32_t *array = NULL;
  if (opaque.count >= 0) {
    array = malloc((size_t)opaque.count * 4 + 1);
    memcpy(array, (const char *)bytes + 12, (size_t)opaque.count * 4);
  }
  void *result = fake_opaque(ctx, opaque.number, opaque.real, opaque.count, array);
  free(array);
  return result;
}
static int project_number(struct futhark_context *ctx, void *out, const void *object) {
  (void)ctx;
  memcpy(out, &((const struct fake_opaque *)object)->number, 4);
  return 0;
}
static int project_real(struct futhark_context *ctx, void *out, const void *object) {
  (void)ctx;
  memcpy(out, &((const struct fake_opaque *)object)->real, 4);
  return 0;
}
static int project_array(struct futhark_context *ctx, void *out, const void *object) {
  const struct fake_opaque *opaque = object;
  int64_t shape = opaque->count;
  *(void **)out = fake_array(ctx, 1, 4, &shape, opaque->array);
  return 0;
}

#define OPAQUE                                                                                                         \
  .kind = FE_OPAQUE, .size = sizeof(void *), .opaque_free = free_opaque, .opaque_store = store_opaque,                \
  .opaque_restore = restore_opaque

// type point = {x: f32, y: i32}
static int make_point(struct futhark_context *ctx, void **out, const void *const *fields) {
  float x;
  int32_t y;
  memcpy(&x, fields[0], 4);
  memcpy(&y, fields[1], 4);
  if (y == 13) {
    return fake_fail(ctx, "Error: thirteen is an unlucky field");
  }
  *out = fake_opaque(ctx, y, x, -1, NULL);
  return 0;
}
static const struct fe_field point_fields[] = {{"x", &type_f32, project_real}, {"y", &type_i32, project_number}};
static const struct fe_record point_record = {2, point_fields, make_point};
static const struct fe_type type_point = {.name = "point", OPAQUE, .record = &point_record};

// (i32, []i32)
static int make_pair(struct futhark_context *ctx, void **out, const void *const *fields) {
  int32_t number;
  memcpy(&number, fields[0], 4);
  const struct fake_array *array = *(struct fake_array *const *)fields[1];
  *out = fake_opaque(ctx, number, 0, (int32_t)array->shape[0], (const int32_t *)(const void *)array->data);
  return 0;
}
static const struct fe_field pair_fields[] = {{"0", &type_i32, project_number}, {"1", &type_i32_1d, project_array}};
static const struct fe_record pair_record = {2, pair_fields, make_pair};
static const struct fe_type type_pair = {.name = "(i32, []i32)", OPAQUE, .record = &pair_record};

// ()
static int make_unit(struct futhark_context *ctx, void **out, const void *const *fields) {
  (void)fields;
  *out = fake_opaque(ctx, 0, 0, -1, NULL);
  return 0;
}
static const struct fe_record unit_record = {0, NULL, make_unit};
static const struct fe_type type_unit = {.name = "()", OPAQUE, .record = &unit_record};

// type shape = #none | #some i32 []i32
static int construct_none(struct futhark_context *ctx, void **out, const void *const *payload) {
  (void)payload;
  *out = fake_opaque(ctx, 0, 0, -1, NULL);
  return 0;
}
static int destruct_none(struct futhark_context *ctx, void *const *outs, const void *object) {
  (void)ctx, (void)outs, (void)object;
  return 0;
}
static int construct_some(struct futhark_context *ctx, void **out, const void *const *payload) {
  return make_pair(ctx, out, payload);
}
static int destruct_some(struct futhark_context *ctx, void *const *outs, const void *object) {
  project_number(ctx, outs[0], object);
  return project_array(ctx, outs[1], object);
}
static int shape_variant(struct futhark_context *ctx, const void *object) {
  (void)ctx;
  return ((const struct fake_opaque *)object)->count < 0 ? 0 : 1;
}
static const struct fe_type *const some_payload[] = {&type_i32, &type_i32_1d};
static const struct fe_variant shape_variants[] = {{"none", 0, NULL, construct_none, destruct_none},
                                                   {"some", 2, some_payload, construct_some, destruct_some}};
static const struct fe_sum shape_sum = {2, shape_variants, shape_variant};
static const struct fe_type type_shape = {.name = "shape", OPAQUE, .sum = &shape_sum};

// type state, which nothing is known of
static const struct fe_type type_state = {.name = "state", OPAQUE};

// () again, as a program describes it that does not call it a record
static const struct fe_type type_nothing = {.name = "()", OPAQUE};

// []point
struct fake_points {
  int64_t shape[1];
  float *x;
  int32_t *y;
};

static struct fake_points *fake_points(struct futhark_context *ctx, int64_t n) {
  struct fake_points *points = calloc(1, sizeof *points);
  points->shape[0] = n;
  points->x = calloc((size_t)n + 1, 4);
  points->y = calloc((size_t)n + 1, 4);
  ctx->objects++;
  return points;
}
static int free_points(struct futhark_context *ctx, void *object) {
  struct fake_points *points = object;
  free(points->x);
  free(points->y);
  free(points);
  ctx->objects--;
  return 0;
}
static const int64_t *points_shape(struct futhark_context *ctx, const void *object) {
  (void)ctx;
  return ((const struct fake_points *)object)->shape;
}
static int points_index(struct futhark_context *ctx, void *out, const void *object, const int64_t *indices) {
  const struct fake_points *points = object;
  *(void **)out = fake_opaque(ctx, points->y[indices[0]], points->x[indices[0]], -1, NULL);
  return 0;
}
static int points_set(struct futhark_context *ctx, void *object, const void *elem, const int64_t *indices) {
  (void)ctx;
  struct fake_points *points = object;
  const struct fake_opaque *point = *(struct fake_opaque *const *)elem;
  points->x[indices[0]] = point->real;
  points->y[indices[0]] = point->number;
  return 0;
}
static int points_make(struct futhark_context *ctx, void **out, const void *const *elems, const int64_t *shape) {
  struct fake_points *points = fake_points(ctx, shape[0]);
  for (int64_t i = 0; i < shape[0]; i++) {
    points_set(ctx, points, elems[i], &i);
  }
  *out = points;
  return 0;
}
static int points_zip(struct futhark_context *ctx, void **out, const void *const *fields) {
  const struct fake_array *x = *(struct fake_array *const *)fields[0];
  const struct fake_array *y = *(struct fake_array *const *)fields[1];
  if (x->shape[0] != y->shape[0]) {
    return fake_fail(ctx, "Error: the arrays have different sizes");
  }
  struct fake_points *points = fake_points(ctx, x->shape[0]);
  memcpy(points->x, x->data, fake_count(x) * 4);
  memcpy(points->y, y->data, fake_count(x) * 4);
  *out = points;
  return 0;
}
static int points_x(struct futhark_context *ctx, void *out, const void *object) {
  const struct fake_points *points = object;
  *(void **)out = fake_array(ctx, 1, 4, points->shape, points->x);
  return 0;
}
static int points_y(struct futhark_context *ctx, void *out, const void *object) {
  const struct fake_points *points = object;
  *(void **)out = fake_array(ctx, 1, 4, points->shape, points->y);
  return 0;
}
static const struct fe_field points_fields[] = {{"x", &type_f32_1d, points_x}, {"y", &type_i32_1d, points_y}};
static const struct fe_opaque_array points_array = {1,          &type_point, points_shape, points_index,
                                                    points_make, points_set,  2,            points_fields, points_zip};
static const struct fe_type type_points = {
    .name = "[]point", .kind = FE_OPAQUE, .size = sizeof(void *), .opaque_free = free_points, .opaque_array = &points_array};

// ---- Entry points ----

#define INPUT_I32(i) (*(const int32_t *)inputs[i])
#define INPUT_ARRAY(i) (*(struct fake_array *const *)inputs[i])
#define INPUT_OPAQUE(i) (*(struct fake_opaque *const *)inputs[i])

static int call_add(struct futhark_context *ctx, void *out, const void *const *inputs) {
  (void)ctx;
  int32_t sum = (int32_t)((uint32_t)INPUT_I32(0) + (uint32_t)INPUT_I32(1));
  memcpy(out, &sum, 4);
  return 0;
}
static int call_count(struct futhark_context *ctx, void *out, const void *const *inputs) {
  (void)inputs;
  fprintf(stderr, "a run\n");
  int32_t count = ctx->objects;
  memcpy(out, &count, 4);
  return 0;
}
static int call_fail(struct futhark_context *ctx, void *out, const void *const *inputs) {
  (void)out, (void)inputs;
  return fake_fail(ctx, "Error: Index [5] out of bounds for array of shape [2].\n\nBacktrace:\n-> #0  a.fut:1:2-3\n");
}
// The array stays the caller's to free, but what is in it is gone.
static int call_increment(struct futhark_context *ctx, void *out, const void *const *inputs) {
  struct fake_array *array = INPUT_ARRAY(0);
  struct fake_array *result = fake_array(ctx, 1, 4, array->shape, array->data);
  for (size_t i = 0; i < fake_count(array); i++) {
    ((int32_t *)(void *)result->data)[i]++;
  }
  memset(array->data, 0, fake_count(array) * 4);
  *(void **)out = result;
  return 0;
}
static int call_transpose(struct futhark_context *ctx, void *out, const void *const *inputs) {
  const struct fake_array *array = INPUT_ARRAY(0);
  int64_t shape[2] = {array->shape[1], array->shape[0]};
  struct fake_array *result = fake_array(ctx, 2, 4, shape, array->data);
  for (int64_t i = 0; i < shape[0]; i++) {
    for (int64_t j = 0; j < shape[1]; j++) {
      memcpy(result->data + 4 * (i * shape[1] + j), array->data + 4 * (j * shape[0] + i), 4);
    }
  }
  *(void **)out = result;
  return 0;
}
static int call_pair(struct futhark_context *ctx, void *out, const void *const *inputs) {
  int32_t x = INPUT_I32(0);
  int32_t array[2] = {x, x + 1};
  *(void **)out = fake_opaque(ctx, x, 0, 2, array);
  return 0;
}
static int call_unit(struct futhark_context *ctx, void *out, const void *const *inputs) {
  return make_unit(ctx, out, inputs);
}
static int call_main(struct futhark_context *ctx, void *out, const void *const *inputs) {
  const struct fake_opaque *point = INPUT_OPAQUE(0);
  const struct fake_points *points = *(struct fake_points *const *)inputs[1];
  struct fake_points *result = fake_points(ctx, points->shape[0]);
  for (int64_t i = 0; i < points->shape[0]; i++) {
    result->x[i] = points->x[i] + point->real;
    result->y[i] = points->y[i] + point->number;
  }
  *(void **)out = result;
  return 0;
}
static int call_make_state(struct futhark_context *ctx, void *out, const void *const *inputs) {
  *(void **)out = fake_opaque(ctx, INPUT_I32(0), 0.5f, 1, &INPUT_I32(0));
  return 0;
}
static int call_read_state(struct futhark_context *ctx, void *out, const void *const *inputs) {
  (void)ctx;
  memcpy(out, &INPUT_OPAQUE(0)->array[0], 4);
  return 0;
}

static int call_nothing(struct futhark_context *ctx, void *out, const void *const *inputs) {
  return make_unit(ctx, out, inputs);
}

static const char *const names[] = {"a", "b"};
static const struct fe_type *const two_i32[] = {&type_i32, &type_i32};
static const struct fe_type *const one_i32_1d[] = {&type_i32_1d};
static const struct fe_type *const one_f32_2d[] = {&type_f32_2d};
static const struct fe_type *const point_and_points[] = {&type_point, &type_points};
static const struct fe_type *const one_state[] = {&type_state};
static const bool keep[] = {false, false};
static const bool consume[] = {true};
static const int params[] = {0, 1};
static const char *const attributes[] = {"noinline", "foo(bar)"};

#define ENTRY(NAME, COUNT, INPUTS, CONSUMED, OUTPUT, FRESH)                                                            \
  {.name = #NAME, .num_inputs = COUNT, .input_names = names, .inputs = INPUTS, .consumed = CONSUMED,                  \
   .output = &OUTPUT, .fresh = FRESH, .call = call_##NAME}

static const struct fe_entry entries[] = {
    {.name = "add", .num_inputs = 2, .input_names = names, .inputs = two_i32, .consumed = keep, .output = &type_i32,
     .num_tuning_params = 2, .tuning_params = params, .num_attributes = 2, .attributes = attributes, .call = call_add},
    ENTRY(count, 0, NULL, NULL, type_i32, false),
    ENTRY(fail, 1, one_i32_1d, consume, type_i32, false),
    ENTRY(increment, 1, one_i32_1d, consume, type_i32_1d, true),
    ENTRY(transpose, 1, one_f32_2d, keep, type_f32_2d, true),
    ENTRY(pair, 1, two_i32, keep, type_pair, false),
    ENTRY(unit, 1, two_i32, keep, type_unit, false),
    ENTRY(main, 2, point_and_points, keep, type_points, true),
    ENTRY(make_state, 1, two_i32, keep, type_state, false),
    ENTRY(read_state, 1, one_state, keep, type_i32, false),
    ENTRY(nothing, 1, two_i32, keep, type_nothing, false),
};

static const struct fe_type *const types[] = {&type_i32,   &type_f32,  &type_i32_1d, &type_f32_1d, &type_f32_2d, &type_point,
                                              &type_pair,  &type_unit, &type_shape,  &type_state,  &type_points};

static const struct fe_program fe_program = {
    .num_types = sizeof types / sizeof types[0],
    .types = types,
    .num_entries = sizeof entries / sizeof entries[0],
    .entries = entries,
};

#include "prims.c"
#include "values.c"
#include "values_scalar.c"
#include "values_number.c"
#include "values_print.c"
#include "values_text.c"
#include "values_binary.c"
#include "objects.c"
#include "options.c"
#ifdef FAKE_SERVER
#include "server_vars.c"
#include "server_files.c"
#include "server_general.c"
#include "server_parts.c"
// Nothing here is on sequences.
#define FE_NO_STREAM(name)                        \
  static int name(struct fe_server *server) {     \
    (void)server;                                 \
    return fe_failure("there are no sequences");  \
  }
FE_NO_STREAM(fe_cmd_stream_open)
FE_NO_STREAM(fe_cmd_stream_feed)
FE_NO_STREAM(fe_cmd_stream_end)
FE_NO_STREAM(fe_cmd_stream_take)
FE_NO_STREAM(fe_cmd_stream_results)
FE_NO_STREAM(fe_cmd_stream_close)
static void fe_close_streams(struct fe_server *server) { (void)server; }
#include "server.c"
#else
// Nothing here is on sequences.
static bool fe_is_streamed(const struct fe_settings *settings, const struct fe_entry *entry) {
  (void)settings;
  return entry->streaming != NULL;
}
static enum fe_next fe_execute_stream(const struct fe_settings *settings, struct futhark_context *ctx,
                                      const struct fe_entry *entry) {
  (void)settings;
  (void)ctx;
  (void)entry;
  return FE_EXIT_FAILURE;
}
#include "cli.c"
#endif
