// Uses the library of api.ir, knowing nothing but its header. Whatever is wrong ends the program; the
// sanitizers tell what leaks.

#include "api.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(FUTHARK_BACKEND_cuda) || defined(FUTHARK_BACKEND_opencl)
#define ON_DEVICE
#elif !defined(FUTHARK_BACKEND_c)
#error "the header tells no back end"
#endif

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      abort();                                                            \
    }                                                                     \
  } while (0)

// The last error must be there and contain these words.
static void expect_error(struct futhark_context *ctx, const char *words) {
  char *error = futhark_context_get_error(ctx);
  CHECK(error != NULL);
  if (strstr(error, words) == NULL || strncmp(error, "Error: ", 7) != 0) {
    fprintf(stderr, "the error is: %s\n", error);
    abort();
  }
  free(error);
  CHECK(futhark_context_get_error(ctx) == NULL);
}

static void arrays(struct futhark_context *ctx) {
  int32_t numbers[] = {1, 2, 3, 4, 5, 6};
  struct futhark_i32_1d *xs = futhark_new_i32_1d(ctx, numbers, 6);
  struct futhark_i32_1d *ys = futhark_new_i32_1d(ctx, numbers, 4);
  // Memory of the device, or ours.
#ifdef ON_DEVICE
  struct futhark_i32_1d *owner = futhark_new_i32_1d(ctx, numbers, 6);
  unsigned char *memory = futhark_values_raw_i32_1d(ctx, owner);
#else
  unsigned char *memory = (unsigned char *)numbers;
#endif
  struct futhark_i32_1d *raw = futhark_new_raw_i32_1d(ctx, memory, 6);
  CHECK(futhark_values_raw_i32_1d(ctx, raw) == memory);
  int32_t result = 0;
  CHECK(futhark_entry_dot(ctx, &result, xs, raw) == FUTHARK_SUCCESS && result == 91);
  result = 7;
  CHECK(futhark_entry_dot(ctx, &result, xs, ys) == FUTHARK_PROGRAM_ERROR && result == 7);
  expect_error(ctx, "entry point arguments have invalid sizes: dimension 0 of argument 2 (\"ys\") of \"dot\" is 4, "
                    "but should be \"n\", which is 6");
  CHECK(futhark_index_i32_1d(ctx, &result, xs, 5) == 0 && result == 6);
  CHECK(futhark_index_i32_1d(ctx, &result, xs, 6) == FUTHARK_PROGRAM_ERROR);
  expect_error(ctx, "Index [6] out of bounds for array of shape [6].");
  struct futhark_i32_1d *evens = NULL;
  CHECK(futhark_entry_evens(ctx, &evens, xs) == 0);
  CHECK(futhark_shape_i32_1d(ctx, evens)[0] == 3);
  int32_t values[3];
  CHECK(futhark_values_i32_1d(ctx, evens, values) == 0 && values[0] == 2 && values[2] == 6);
  CHECK(futhark_new_i32_1d(ctx, numbers, -1) == NULL);
  expect_error(ctx, "dimension 0 of an array cannot have size -1");
  CHECK(futhark_new_i32_1d(ctx, numbers, INT64_MAX) == NULL);
  expect_error(ctx, "out of memory");
  futhark_free_i32_1d(ctx, raw);
#ifdef ON_DEVICE
  futhark_free_i32_1d(ctx, owner);
#endif
  futhark_free_i32_1d(ctx, evens);
  futhark_free_i32_1d(ctx, ys);
  futhark_free_i32_1d(ctx, xs);

  float floats[] = {1, 2, 3, 4, 5, 6};
  struct futhark_f32_2d *matrix = futhark_new_f32_2d(ctx, floats, 3, 2), *scaled = NULL;
  CHECK(futhark_entry_scalezq(ctx, &scaled, matrix, 2) == 0);
  CHECK(futhark_values_raw_f32_2d(ctx, matrix) == futhark_values_raw_f32_2d(ctx, scaled));
  CHECK(futhark_free_f32_2d(ctx, matrix) == 0);
  CHECK(futhark_shape_f32_2d(ctx, scaled)[0] == 3 && futhark_shape_f32_2d(ctx, scaled)[1] == 2);
  float element = 0;
  CHECK(futhark_index_f32_2d(ctx, &element, scaled, 2, 1) == 0 && element == 12);
  CHECK(futhark_index_f32_2d(ctx, &element, scaled, 1, 2) != 0);
  expect_error(ctx, "Index [1, 2] out of bounds for array of shape [3][2].");
  futhark_free_f32_2d(ctx, scaled);

  bool bits[] = {true, false, true};
  struct futhark_bool_2d *table = futhark_new_bool_2d(ctx, bits, 1, 3), *empty = futhark_new_bool_2d(ctx, NULL, 0, 3);
  struct futhark_i32_1d *two = futhark_new_i32_1d(ctx, numbers, 2), *three = futhark_new_i32_1d(ctx, numbers, 3);
  int64_t total = 0;
  CHECK(futhark_entry_fixed(ctx, &total, two, 1, table) == 0 && total == 3102);
  CHECK(futhark_entry_fixed(ctx, &total, two, 0, empty) == 0 && total == 3002);
  CHECK(futhark_entry_fixed(ctx, &total, three, 1, table) == FUTHARK_PROGRAM_ERROR);
  expect_error(ctx, "dimension 0 of argument 1 (\"a\") of \"fixed\" is 3, but should be 2");
  CHECK(futhark_entry_fixed(ctx, &total, two, 2, table) == FUTHARK_PROGRAM_ERROR);
  expect_error(ctx, "dimension 0 of argument 3 (\"xs\") of \"fixed\" is 1, but should be \"k\", which is 2");
  futhark_free_bool_2d(ctx, table);
  futhark_free_bool_2d(ctx, empty);
  futhark_free_i32_1d(ctx, two);
  futhark_free_i32_1d(ctx, three);

  uint16_t bits16[] = {0x3c00, 0x4000};
  struct futhark_f16_1d *halves = futhark_new_f16_1d(ctx, bits16, 2), *others = NULL;
  CHECK(futhark_entry_halves(ctx, &others, 0xc000, halves) == 0);
  CHECK(futhark_values_f16_1d(ctx, others, bits16) == 0 && bits16[0] == 0xc000 && bits16[1] == 0x4000);
  futhark_free_f16_1d(ctx, halves);
  futhark_free_f16_1d(ctx, others);
}

static void errors(struct futhark_context *ctx) {
  int64_t out = 5;
  CHECK(futhark_entry_fail(ctx, &out, 3) == FUTHARK_SUCCESS && out == 3);
  CHECK(futhark_context_get_error(ctx) == NULL);
  CHECK(futhark_entry_fail(ctx, &out, -1) == FUTHARK_PROGRAM_ERROR && out == 3);
  expect_error(ctx, "-1 is negative");
  CHECK(futhark_entry_fail(ctx, &out, 2000) == FUTHARK_OUT_OF_MEMORY);
  // The last error is told, also if nobody asked for the one before.
  CHECK(futhark_entry_fail(ctx, &out, -2) == FUTHARK_PROGRAM_ERROR);
  expect_error(ctx, "-2 is negative");
  CHECK(futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  int32_t y;
  CHECK(futhark_entry_lost(ctx, &y, 1) == FUTHARK_PROGRAM_ERROR);
  expect_error(ctx, "no argument determines the size \"n\"");
}

static void records(struct futhark_context *ctx) {
  struct futhark_opaque_point *point = NULL, *from = NULL;
  CHECK(futhark_new_opaque_point(ctx, &point, 1, 2) == 0);
  int64_t tags[] = {10, 20};
  struct futhark_i64_1d *tag_array = futhark_new_i64_1d(ctx, tags, 2), *again = NULL;
  struct futhark_opaque_line *line = NULL, *copy = NULL;
  CHECK(futhark_entry_make_line(ctx, &line, point, 2, tag_array) == 0);
  CHECK(futhark_entry_make_line(ctx, &copy, point, 3, tag_array) == FUTHARK_PROGRAM_ERROR && copy == NULL);
  expect_error(ctx, "dimension 0 of argument 3 (\"tags\") of \"make_line\" is 2, but should be \"n\", which is 3");
  CHECK(futhark_project_opaque_line_from(ctx, &from, line) == 0);
  float x = 0;
  CHECK(futhark_project_opaque_point_x(ctx, &x, from) == 0 && x == 2);
  CHECK(futhark_project_opaque_line_tags(ctx, &again, line) == 0);
  // The memory is shared, and lives as long as anything that uses it.
  CHECK(futhark_values_raw_i64_1d(ctx, again) == futhark_values_raw_i64_1d(ctx, tag_array));
  futhark_free_i64_1d(ctx, tag_array);
  futhark_free_opaque_line(ctx, line);
  CHECK(futhark_new_opaque_line(ctx, &copy, from, again) == 0);
  futhark_free_i64_1d(ctx, again);

  size_t size = 0;
  void *bytes = NULL;
  CHECK(futhark_store_opaque_line(ctx, copy, NULL, &size) == 0 && size > 24);
  CHECK(futhark_store_opaque_line(ctx, copy, &bytes, &size) == 0 && bytes != NULL);
  struct futhark_opaque_line *restored = futhark_restore_opaque_line(ctx, bytes);
  CHECK(restored != NULL && futhark_project_opaque_line_tags(ctx, &again, restored) == 0);
  CHECK(futhark_values_i64_1d(ctx, again, tags) == 0 && tags[0] == 10 && tags[1] == 20);
  CHECK(futhark_restore_opaque_point(ctx, bytes) == NULL);
  expect_error(ctx, "these bytes are not a value of type point of this program");
  // A size that was changed; the last eight bytes before the two tags.
  ((unsigned char *)bytes)[size - 2 * sizeof(int64_t) - 8] = 3;
  CHECK(futhark_restore_opaque_line(ctx, bytes) == NULL);
  expect_error(ctx, "line");
  ((unsigned char *)bytes)[0] ^= 1;
  CHECK(futhark_restore_opaque_line(ctx, bytes) == NULL);
  expect_error(ctx, "line");
  free(bytes);
  futhark_free_i64_1d(ctx, again);
  futhark_free_opaque_line(ctx, restored);
  futhark_free_opaque_line(ctx, copy);
  futhark_free_opaque_point(ctx, from);
  futhark_free_opaque_point(ctx, point);

  struct futhark_opaque_tup2_i32_bool *pair = NULL;
  int32_t first = 0;
  bool second = false;
  CHECK(futhark_entry_pair(ctx, &pair, 4) == 0);
  CHECK(futhark_project_opaque_tup2_i32_bool_0(ctx, &first, pair) == 0 && first == 5);
  CHECK(futhark_project_opaque_tup2_i32_bool_1(ctx, &second, pair) == 0 && second);
  futhark_free_opaque_tup2_i32_bool(ctx, pair);
}

static void record_arrays(struct futhark_context *ctx) {
  struct futhark_opaque_arr1d_point *points = NULL, *zipped = NULL, *made = NULL;
  CHECK(futhark_entry_points(ctx, &points, 4) == 0);
  CHECK(futhark_shape_opaque_arr1d_point(ctx, points)[0] == 4);
  struct futhark_opaque_point *point = NULL;
  CHECK(futhark_index_opaque_arr1d_point(ctx, &point, points, 3) == 0);
  float x = 0, y = 0;
  CHECK(futhark_project_opaque_point_x(ctx, &x, point) == 0 && x == 3);
  CHECK(futhark_project_opaque_point_y(ctx, &y, point) == 0 && y == -3);
  struct futhark_opaque_point *none = NULL;
  CHECK(futhark_index_opaque_arr1d_point(ctx, &none, points, -1) != 0 && none == NULL);
  expect_error(ctx, "Index [-1] out of bounds");
  struct futhark_f32_1d *xs = NULL, *ys = NULL;
  CHECK(futhark_project_opaque_arr1d_point_x(ctx, &xs, points) == 0);
  CHECK(futhark_project_opaque_arr1d_point_y(ctx, &ys, points) == 0);
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &zipped, ys, xs) == 0);
  // A change of one array is not seen by those that share its memory.
  CHECK(futhark_set_opaque_arr1d_point(ctx, zipped, point, 0) == 0);
  CHECK(futhark_set_opaque_arr1d_point(ctx, zipped, point, 4) != 0);
  expect_error(ctx, "Index [4]");
  CHECK(futhark_index_f32_1d(ctx, &x, ys, 0) == 0 && x == 0);
  struct futhark_opaque_point *changed = NULL;
  CHECK(futhark_index_opaque_arr1d_point(ctx, &changed, zipped, 0) == 0);
  CHECK(futhark_project_opaque_point_x(ctx, &x, changed) == 0 && x == 3);
  float more[5] = {0};
  struct futhark_f32_1d *longer = futhark_new_f32_1d(ctx, more, 5);
  struct futhark_opaque_arr1d_point *bad = NULL;
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &bad, xs, longer) != 0 && bad == NULL);
  expect_error(ctx, "the arrays have different shapes: [4] and [5]");
  struct futhark_opaque_point *elems[] = {point, changed, point};
  CHECK(futhark_new_opaque_arr1d_point(ctx, &made, elems, 3) == 0);
  CHECK(futhark_shape_opaque_arr1d_point(ctx, made)[0] == 3);
  futhark_free_opaque_arr1d_point(ctx, made);
  CHECK(futhark_new_opaque_arr1d_point(ctx, &made, elems, 0) == 0);
  CHECK(futhark_shape_opaque_arr1d_point(ctx, made)[0] == 0);
  CHECK(futhark_new_opaque_arr1d_point(ctx, &bad, elems, -1) != 0);
  expect_error(ctx, "these sizes are not valid for an array");
  futhark_free_f32_1d(ctx, longer);
  futhark_free_f32_1d(ctx, xs);
  futhark_free_f32_1d(ctx, ys);
  futhark_free_opaque_point(ctx, point);
  futhark_free_opaque_point(ctx, changed);
  futhark_free_opaque_arr1d_point(ctx, made);
  futhark_free_opaque_arr1d_point(ctx, zipped);
  futhark_free_opaque_arr1d_point(ctx, points);
}

static void sums(struct futhark_context *ctx) {
  struct futhark_opaque_shape *circle = NULL, *poly = NULL, *square = NULL, *nothing = NULL;
  CHECK(futhark_new_opaque_shape_circle(ctx, &circle, 2) == 0);
  int32_t corners[] = {1, 2, 3, 4};
  struct futhark_i32_2d *array = futhark_new_i32_2d(ctx, corners, 2, 2), *payload = NULL;
  CHECK(futhark_new_opaque_shape_poly(ctx, &poly, array) == 0);
  struct futhark_opaque_side *side = NULL, *side_again = NULL;
  CHECK(futhark_new_opaque_side(ctx, &side, 5) == 0);
  CHECK(futhark_new_opaque_shape_square(ctx, &square, side) == 0);
  CHECK(futhark_new_opaque_shape_nothing(ctx, &nothing) == 0);
  CHECK(futhark_variant_opaque_shape(ctx, circle) == 0 && futhark_variant_opaque_shape(ctx, poly) == 1);
  CHECK(futhark_variant_opaque_shape(ctx, square) == 2 && futhark_variant_opaque_shape(ctx, nothing) == 3);
  float area = 0;
  CHECK(futhark_entry_area(ctx, &area, circle) == 0 && area == 12);
  CHECK(futhark_entry_area(ctx, &area, poly) == 0 && area == 6);
  CHECK(futhark_entry_area(ctx, &area, square) == 0 && area == 25);
  CHECK(futhark_entry_area(ctx, &area, nothing) == 0 && area == 0);
  CHECK(futhark_destruct_opaque_shape_poly(ctx, &payload, poly) == 0);
  CHECK(futhark_shape_i32_2d(ctx, payload)[0] == 2);
  CHECK(futhark_destruct_opaque_shape_square(ctx, &side_again, square) == 0);
  CHECK(futhark_project_opaque_side_a(ctx, &area, side_again) == 0 && area == 5);
  CHECK(futhark_destruct_opaque_shape_nothing(ctx, nothing) == 0);
  CHECK(futhark_destruct_opaque_shape_circle(ctx, &area, poly) != 0);
  expect_error(ctx, "this value is not the variant #circle");
  void *bytes = NULL;
  size_t size = 0;
  CHECK(futhark_store_opaque_shape(ctx, poly, &bytes, &size) == 0);
  struct futhark_opaque_shape *restored = futhark_restore_opaque_shape(ctx, bytes);
  CHECK(restored != NULL && futhark_entry_area(ctx, &area, restored) == 0 && area == 6);
  ((unsigned char *)bytes)[24] = 4; // there are variants 0 to 3
  CHECK(futhark_restore_opaque_shape(ctx, bytes) == NULL);
  expect_error(ctx, "shape");
  free(bytes);
  futhark_free_opaque_shape(ctx, restored);
  futhark_free_opaque_shape(ctx, circle);
  futhark_free_opaque_shape(ctx, poly);
  futhark_free_opaque_shape(ctx, square);
  futhark_free_opaque_shape(ctx, nothing);
  futhark_free_i32_2d(ctx, array);
  futhark_free_i32_2d(ctx, payload);
  futhark_free_opaque_side(ctx, side);
  futhark_free_opaque_side(ctx, side_again);

  int32_t numbers[] = {1, 2, 3};
  struct futhark_i32_1d *three = futhark_new_i32_1d(ctx, numbers, 3), *two = futhark_new_i32_1d(ctx, numbers, 2);
  struct futhark_opaque_row *some = NULL, *other = NULL, *back = NULL;
  CHECK(futhark_new_opaque_row_some(ctx, &some, three) == 0 && futhark_new_opaque_row_some(ctx, &other, two) == 0);
  struct futhark_opaque_row *list[] = {some, some}, *mixed[] = {some, other};
  struct futhark_opaque_arr1d_row *rows = NULL, *bad = NULL;
  CHECK(futhark_new_opaque_arr1d_row(ctx, &rows, list, 2) == 0);
  CHECK(futhark_new_opaque_arr1d_row(ctx, &bad, mixed, 2) != 0 && bad == NULL);
  expect_error(ctx, "the elements of an array have different shapes: [3] and [2]");
  int32_t total = 0;
  CHECK(futhark_entry_rows(ctx, &total, rows) == 0 && total == 12);
  CHECK(futhark_index_opaque_arr1d_row(ctx, &back, rows, 1) == 0);
  struct futhark_i32_1d *row = NULL;
  CHECK(futhark_destruct_opaque_row_some(ctx, &row, back) == 0);
  CHECK(futhark_index_i32_1d(ctx, &total, row, 2) == 0 && total == 3);
  CHECK(futhark_set_opaque_arr1d_row(ctx, rows, other, 0) != 0);
  expect_error(ctx, "different shapes");
  // The element that was taken out shares memory with the array, but does not change with it.
  numbers[2] = 30;
  struct futhark_i32_1d *new_row = futhark_new_i32_1d(ctx, numbers, 3);
  struct futhark_opaque_row *new_some = NULL;
  CHECK(futhark_new_opaque_row_some(ctx, &new_some, new_row) == 0);
  CHECK(futhark_set_opaque_arr1d_row(ctx, rows, new_some, 1) == 0);
  CHECK(futhark_entry_rows(ctx, &total, rows) == 0 && total == 6 + 33);
  CHECK(futhark_index_i32_1d(ctx, &total, row, 2) == 0 && total == 3);
  futhark_free_i32_1d(ctx, new_row);
  futhark_free_opaque_row(ctx, new_some);
  futhark_free_i32_1d(ctx, row);
  futhark_free_opaque_row(ctx, back);
  futhark_free_opaque_arr1d_row(ctx, rows);
  futhark_free_opaque_row(ctx, some);
  futhark_free_opaque_row(ctx, other);
  futhark_free_i32_1d(ctx, two);
  futhark_free_i32_1d(ctx, three);
}

static void units(struct futhark_context *ctx) {
  struct futhark_opaque_unit *unit = NULL, *element = NULL;
  struct futhark_opaque_arr1d_tup0_ *array = NULL, *result = NULL;
  CHECK(futhark_new_opaque_arr1d_tup0_(ctx, &array, NULL, 0) == 0);
  futhark_free_opaque_arr1d_tup0_(ctx, array);
  void *bytes = NULL;
  size_t size = 0;
  struct futhark_opaque_unit *elems[3] = {NULL, NULL, NULL};
  CHECK(futhark_new_opaque_arr1d_tup0_(ctx, &array, elems, 3) == 0);
  CHECK(futhark_entry_units(ctx, &result, array) == 0);
  CHECK(futhark_shape_opaque_arr1d_tup0_(ctx, result)[0] == 3);
  CHECK(futhark_index_opaque_arr1d_tup0_(ctx, &element, result, 2) == 0 && element != NULL);
  CHECK(futhark_entry_nothing(ctx, &unit, element) == 0 && unit != NULL);
  CHECK(futhark_store_opaque_unit(ctx, unit, &bytes, &size) == 0);
  struct futhark_opaque_unit *restored = futhark_restore_opaque_unit(ctx, bytes);
  CHECK(restored != NULL);
  free(bytes);
  futhark_free_opaque_unit(ctx, restored);
  futhark_free_opaque_unit(ctx, unit);
  futhark_free_opaque_unit(ctx, element);
  futhark_free_opaque_arr1d_tup0_(ctx, array);
  futhark_free_opaque_arr1d_tup0_(ctx, result);
  CHECK(futhark_free_opaque_unit(ctx, NULL) == 0);
}

static void everything(struct futhark_context *ctx) {
  arrays(ctx);
  errors(ctx);
  records(ctx);
  record_arrays(ctx);
  sums(ctx);
  units(ctx);
}

static void profiling(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_profiling(cfg, 1);
  futhark_context_config_set_cache_file(cfg, "nowhere");
  CHECK(futhark_get_tuning_param_count() == 2);
  CHECK(strcmp(futhark_get_tuning_param_name(1), "tile") == 0);
  CHECK(strcmp(futhark_get_tuning_param_class(0), "threshold(100)") == 0);
  CHECK(futhark_context_config_set_tuning_param(cfg, "tile", 16) == 0);
  CHECK(futhark_context_config_set_tuning_param(cfg, "unknown", 16) != 0);
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(futhark_context_get_error(ctx) == NULL);
  CHECK(futhark_context_config_set_tuning_param(cfg, "limit", 16) == 0);
  CHECK(futhark_context_config_set_tuning_param(cfg, "tile", 8) != 0);
  struct futhark_context *second = futhark_context_new(cfg);
  expect_error(second, "one context at a time");
  futhark_context_free(second);
  int64_t out = 0;
  CHECK(futhark_entry_fail(ctx, &out, 1) == 0);
  futhark_context_pause_profiling(ctx);
  CHECK(futhark_entry_fail(ctx, &out, 1) == 0);
  futhark_context_unpause_profiling(ctx);
  char *report = futhark_context_report(ctx);
  printf("%s\n", report);
  free(report);
  futhark_context_clear_caches(ctx);
  report = futhark_context_report(ctx);
  printf("%s\n", report);
  free(report);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

static void logging(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_logging(cfg, 1);
  struct futhark_context *ctx = futhark_context_new(cfg);
  futhark_context_set_logging_file(ctx, stdout);
  int64_t out = 0;
  CHECK(futhark_entry_fail(ctx, &out, 1) == 0);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

static void *worker(void *unused) {
  (void)unused;
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  for (int i = 0; i < 50; i++) {
    everything(ctx);
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return NULL;
}

int main(void) {
  profiling();
  logging();
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    CHECK(pthread_create(&threads[i], NULL, worker, NULL) == 0);
  }
  for (int i = 0; i < 2; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  futhark_context_free(NULL);
  futhark_context_config_free(NULL);
  printf("done\n");
  return 0;
}
