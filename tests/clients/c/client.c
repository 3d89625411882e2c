// Uses the library by hand: every group of functions of its interface, and what they do when something is wrong.
// It is compiled with sanitizers, so what is not freed, or freed twice, is a failure, too.

#include "library.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                        \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

#define OK(call) CHECK((call) == FUTHARK_SUCCESS)

// The error of the last call has to mention this. After that there is none.
static void check_error(struct futhark_context *ctx, const char *wanted) {
  char *error = futhark_context_get_error(ctx);
  CHECK(error != NULL);
  if (strstr(error, wanted) == NULL) {
    fprintf(stderr, "no \"%s\" in: %s\n", wanted, error);
    exit(1);
  }
  free(error);
  CHECK(futhark_context_get_error(ctx) == NULL);
}

static struct futhark_i32_1d *ints(struct futhark_context *ctx, const int32_t *data, int64_t n) {
  struct futhark_i32_1d *xs = futhark_new_i32_1d(ctx, data, n);
  CHECK(xs != NULL);
  return xs;
}

static void arrays(struct futhark_context *ctx) {
  const double data[] = {0, 1, 2, 3, 4, 5};
  struct futhark_f64_2d *m = futhark_new_f64_2d(ctx, data, 2, 3), *t = NULL;
  CHECK(m != NULL);
  OK(futhark_entry_transposed(ctx, &t, m));
  OK(futhark_context_sync(ctx));
  const int64_t *shape = futhark_shape_f64_2d(ctx, t);
  CHECK(shape[0] == 3 && shape[1] == 2);
  double found[6];
  OK(futhark_values_f64_2d(ctx, t, found));
  CHECK(found[0] == 0 && found[1] == 3 && found[4] == 2 && found[5] == 5);
  double one = 0;
  OK(futhark_index_f64_2d(ctx, &one, t, 2, 1));
  CHECK(one == 5);
  CHECK(futhark_index_f64_2d(ctx, &one, t, 2, 2) != FUTHARK_SUCCESS);
  check_error(ctx, "out of bounds");
  struct futhark_opaque_tup2_i32_i32 *both = NULL;
  int32_t quotient = 0, remainder = 0;
  OK(futhark_entry_divmod(ctx, &both, -7, 2));
  OK(futhark_project_opaque_tup2_i32_i32_0(ctx, &quotient, both));
  OK(futhark_project_opaque_tup2_i32_i32_1(ctx, &remainder, both));
  CHECK(quotient == -4 && remainder == 1);
  OK(futhark_free_opaque_tup2_i32_i32(ctx, both));
  // Results stay when their arguments go.
  OK(futhark_free_f64_2d(ctx, m));
  OK(futhark_values_f64_2d(ctx, t, found));
  CHECK(found[3] == 4);
  OK(futhark_free_f64_2d(ctx, t));

  // Empty arrays have no data, but a shape.
  struct futhark_f64_2d *empty = futhark_new_f64_2d(ctx, NULL, 0, 7);
  CHECK(empty != NULL);
  OK(futhark_entry_transposed(ctx, &t, empty));
  CHECK(futhark_shape_f64_2d(ctx, t)[0] == 7 && futhark_shape_f64_2d(ctx, t)[1] == 0);
  OK(futhark_free_f64_2d(ctx, t));
  OK(futhark_free_f64_2d(ctx, empty));
  CHECK(futhark_new_f64_2d(ctx, NULL, -1, 7) == NULL);
  check_error(ctx, "-1");
}

// Memory of the program itself: the library reads it where it is, and does not free it.
static void raw_access(struct futhark_context *ctx) {
  // Nothing is known about its alignment beyond that of the elements.
  int32_t *memory = malloc(5 * sizeof *memory);
  CHECK(memory != NULL);
  for (int i = 0; i < 5; i++) {
    memory[i] = i;
  }
  struct futhark_i32_1d *xs = futhark_new_raw_i32_1d(ctx, (unsigned char *)(memory + 1), 4);
  CHECK(xs != NULL);
  CHECK(futhark_values_raw_i32_1d(ctx, xs) == (unsigned char *)(memory + 1));
  int32_t y = 0;
  OK(futhark_entry_dot(ctx, &y, xs, xs));
  CHECK(y == 30);
  memory[1] = 2;
  OK(futhark_entry_dot(ctx, &y, xs, xs));
  CHECK(y == 33);
  struct futhark_opaque_extremes *extremes = NULL;
  OK(futhark_entry_extremes(ctx, &extremes, xs));
  OK(futhark_free_i32_1d(ctx, xs));
  free(memory);
  struct futhark_i32_1d *reversed = NULL;
  OK(futhark_project_opaque_extremes_2(ctx, &reversed, extremes));
  int32_t first;
  memcpy(&first, futhark_values_raw_i32_1d(ctx, reversed), sizeof first);
  CHECK(first == 4);
  OK(futhark_free_opaque_extremes(ctx, extremes));
  OK(futhark_free_i32_1d(ctx, reversed));
}

static void records(struct futhark_context *ctx) {
  struct futhark_opaque_point *a = NULL, *b = NULL, *c = NULL;
  OK(futhark_new_opaque_point(ctx, &a, 1, 2));
  OK(futhark_new_opaque_point(ctx, &b, 3, 6));
  OK(futhark_entry_midpoint(ctx, &c, a, b));
  float x = 0, y = 0;
  OK(futhark_project_opaque_point_x(ctx, &x, c));
  OK(futhark_project_opaque_point_y(ctx, &y, c));
  CHECK(x == 2 && y == 4);

  struct futhark_opaque_point *corners[] = {a, b, c};
  struct futhark_opaque_arr1d_point *points = NULL;
  OK(futhark_new_opaque_arr1d_point(ctx, &points, corners, 3));
  CHECK(futhark_shape_opaque_arr1d_point(ctx, points)[0] == 3);
  OK(futhark_set_opaque_arr1d_point(ctx, points, b, 0));
  struct futhark_opaque_point *first = NULL;
  OK(futhark_index_opaque_arr1d_point(ctx, &first, points, 0));
  OK(futhark_project_opaque_point_y(ctx, &y, first));
  CHECK(y == 6);
  struct futhark_opaque_path *path = NULL;
  OK(futhark_new_opaque_path(ctx, &path, 7, points));
  float length = 0;
  OK(futhark_entry_perimeter(ctx, &length, path));
  CHECK(fabsf(length - 2 * sqrtf(5)) < 1e-5f);

  struct futhark_f32_1d *xs = NULL, *ys = NULL;
  OK(futhark_project_opaque_arr1d_point_x(ctx, &xs, points));
  OK(futhark_project_opaque_arr1d_point_y(ctx, &ys, points));
  struct futhark_opaque_arr1d_point *swapped = NULL;
  OK(futhark_zip_opaque_arr1d_point(ctx, &swapped, ys, xs));
  OK(futhark_free_opaque_arr1d_point(ctx, swapped));
  const float two[] = {1, 2};
  struct futhark_f32_1d *shorter = futhark_new_f32_1d(ctx, two, 2);
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &swapped, xs, shorter) == FUTHARK_PROGRAM_ERROR);
  check_error(ctx, "different shapes");
  OK(futhark_free_f32_1d(ctx, shorter));
  OK(futhark_free_f32_1d(ctx, xs));
  OK(futhark_free_f32_1d(ctx, ys));
  OK(futhark_free_opaque_point(ctx, a));
  OK(futhark_free_opaque_point(ctx, b));
  OK(futhark_free_opaque_point(ctx, c));
  OK(futhark_free_opaque_point(ctx, first));
  OK(futhark_free_opaque_arr1d_point(ctx, points));
  OK(futhark_free_opaque_path(ctx, path));
}

// The unit is a record, too.
static void unit(struct futhark_context *ctx) {
  struct futhark_opaque_unit *made = NULL, *found = NULL;
  OK(futhark_new_opaque_unit(ctx, &made));
  OK(futhark_entry_unit(ctx, &found, made));
  OK(futhark_free_opaque_unit(ctx, made));
  OK(futhark_free_opaque_unit(ctx, found));
}

static void sums(struct futhark_context *ctx) {
  struct futhark_opaque_shape *circle = NULL, *empty = NULL, *samples = NULL, *grown = NULL;
  OK(futhark_new_opaque_shape_circle(ctx, &circle, 2));
  OK(futhark_new_opaque_shape_empty(ctx, &empty));
  const double data[] = {1, 2, 3};
  struct futhark_f64_1d *xs = futhark_new_f64_1d(ctx, data, 3), *out = NULL;
  OK(futhark_new_opaque_shape_samples(ctx, &samples, xs));
  OK(futhark_free_f64_1d(ctx, xs));
  double area = 0;
  OK(futhark_entry_area(ctx, &area, samples));
  CHECK(area == 6);
  OK(futhark_entry_area(ctx, &area, circle));
  CHECK(fabs(area - 12.566371) < 1e-5);
  OK(futhark_entry_grown(ctx, &grown, empty));
  CHECK(futhark_variant_opaque_shape(ctx, grown) == futhark_variant_opaque_shape(ctx, circle));
  float radius = 0;
  OK(futhark_destruct_opaque_shape_circle(ctx, &radius, grown));
  CHECK(radius == 1);
  CHECK(futhark_destruct_opaque_shape_samples(ctx, &out, grown) == FUTHARK_PROGRAM_ERROR);
  check_error(ctx, "#samples");
  OK(futhark_destruct_opaque_shape_samples(ctx, &out, samples));
  CHECK(futhark_shape_f64_1d(ctx, out)[0] == 3);
  OK(futhark_free_f64_1d(ctx, out));
  OK(futhark_free_opaque_shape(ctx, circle));
  OK(futhark_free_opaque_shape(ctx, empty));
  OK(futhark_free_opaque_shape(ctx, samples));
  OK(futhark_free_opaque_shape(ctx, grown));
}

static void store_and_restore(struct futhark_context *ctx) {
  struct futhark_opaque_path *path = NULL, *again = NULL;
  OK(futhark_entry_polygon(ctx, &path, 6));
  size_t size = 0, allocated_size = 0;
  OK(futhark_store_opaque_path(ctx, path, NULL, &size));
  unsigned char *own = malloc(size);
  CHECK(own != NULL);
  void *place = own, *allocated = NULL;
  OK(futhark_store_opaque_path(ctx, path, &place, &size));
  OK(futhark_store_opaque_path(ctx, path, &allocated, &allocated_size));
  CHECK(place == own && allocated_size == size && memcmp(own, allocated, size) == 0);
  free(allocated);
  again = futhark_restore_opaque_path(ctx, own);
  CHECK(again != NULL);
  float length = 0;
  OK(futhark_entry_perimeter(ctx, &length, again));
  CHECK(fabsf(length - 6) < 1e-5f);
  OK(futhark_free_opaque_path(ctx, again));
  // A value of another type, and bytes that were damaged: the place of the sizes is after three words.
  CHECK(futhark_restore_opaque_shape(ctx, own) == NULL);
  check_error(ctx, "shape");
  for (size_t at = 0; at < 3 * sizeof(uint64_t); at++) {
    // A smaller number of bytes is as wrong as another type; a larger one cannot be seen.
    if (at < 8 || at >= 16) {
      own[at] ^= 0x55;
      CHECK(futhark_restore_opaque_path(ctx, own) == NULL);
      check_error(ctx, "path");
      own[at] ^= 0x55;
    }
  }
  for (int bit = 0; bit < 64; bit++) {
    const size_t at = 3 * sizeof(uint64_t) + sizeof(int32_t) + (size_t)bit / 8;
    own[at] ^= (unsigned char)(1 << bit % 8);
    CHECK(futhark_restore_opaque_path(ctx, own) == NULL);
    check_error(ctx, "path");
    own[at] ^= (unsigned char)(1 << bit % 8);
  }
  free(own);
  OK(futhark_free_opaque_path(ctx, path));
}

static void errors(struct futhark_context *ctx) {
  const int32_t data[] = {1, 2};
  struct futhark_i32_1d *xs = ints(ctx, data, 2), *ys = ints(ctx, data, 1);
  int32_t y = 0;
  CHECK(futhark_context_get_error(ctx) == NULL);
  CHECK(futhark_entry_pick(ctx, &y, xs, 2) == FUTHARK_PROGRAM_ERROR);
  check_error(ctx, "out of bounds");
  CHECK(futhark_entry_divided(ctx, &y, 1, 0) == FUTHARK_PROGRAM_ERROR);
  check_error(ctx, "division by zero");
  CHECK(futhark_entry_dot(ctx, &y, xs, ys) == FUTHARK_PROGRAM_ERROR);
  check_error(ctx, "invalid size");
  struct futhark_i64_1d *huge = NULL;
  CHECK(futhark_entry_huge_array(ctx, &huge, INT64_C(1) << 50) == FUTHARK_OUT_OF_MEMORY);
  check_error(ctx, "out of memory");
  CHECK(futhark_entry_huge_array(ctx, &huge, INT64_MAX) == FUTHARK_OUT_OF_MEMORY);
  check_error(ctx, "out of memory");
  CHECK(huge == NULL);
  // An error that nobody asked for is over with the next call.
  CHECK(futhark_entry_pick(ctx, &y, xs, -1) == FUTHARK_PROGRAM_ERROR);
  OK(futhark_entry_pick(ctx, &y, xs, 1));
  CHECK(y == 2 && futhark_context_get_error(ctx) == NULL);
  OK(futhark_free_i32_1d(ctx, xs));
  OK(futhark_free_i32_1d(ctx, ys));
}

static void profiling(struct futhark_context *ctx) {
  int64_t y = 0;
  OK(futhark_context_clear_caches(ctx));
  futhark_context_pause_profiling(ctx);
  OK(futhark_entry_busy(ctx, &y, 10));
  char *report = futhark_context_report(ctx);
  CHECK(report != NULL && strstr(report, "busy") == NULL);
  free(report);
  futhark_context_unpause_profiling(ctx);
  OK(futhark_entry_busy(ctx, &y, 10));
  report = futhark_context_report(ctx);
  CHECK(report != NULL && strstr(report, "busy") != NULL);
  free(report);
}

static void *work(void *argument) {
  const int32_t k = *(const int32_t *)argument;
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(ctx != NULL);
  int32_t data[1000];
  for (int i = 0; i < 1000; i++) {
    data[i] = k;
  }
  struct futhark_i32_1d *xs = ints(ctx, data, 1000);
  for (int i = 0; i < 100; i++) {
    int32_t y = 0;
    OK(futhark_entry_dot(ctx, &y, xs, xs));
    CHECK(y == 1000 * k * k);
    CHECK(futhark_entry_pick(ctx, &y, xs, 1000 + k) == FUTHARK_PROGRAM_ERROR);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "[%d]", 1000 + k);
    check_error(ctx, wanted);
  }
  OK(futhark_free_i32_1d(ctx, xs));
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return NULL;
}

static void threads(void) {
  pthread_t ids[4];
  int32_t numbers[4];
  for (int k = 0; k < 4; k++) {
    numbers[k] = k + 1;
    CHECK(pthread_create(&ids[k], NULL, work, &numbers[k]) == 0);
  }
  for (int k = 0; k < 4; k++) {
    CHECK(pthread_join(ids[k], NULL) == 0);
  }
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  CHECK(cfg != NULL);
  futhark_context_config_set_profiling(cfg, 1);
  CHECK(futhark_get_tuning_param_count() == 0);
  CHECK(futhark_context_config_set_tuning_param(cfg, "no_such_parameter", 1) != 0);
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(ctx != NULL && futhark_context_get_error(ctx) == NULL);
  arrays(ctx);
  raw_access(ctx);
  records(ctx);
  unit(ctx);
  sums(ctx);
  store_and_restore(ctx);
  errors(ctx);
  profiling(ctx);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  threads();
  puts("all is well");
  return 0;
}
