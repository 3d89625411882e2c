// Users hold four times as much as may be on the device.

#include "api.h"
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) {                                          \
      char *error = futhark_context_get_error(ctx);              \
      printf("line %d: %s\n", __LINE__, error == NULL ? "" : error); \
      exit(1);                                                   \
    }                                                            \
  } while (0)

enum { ELEMENTS = 1 << 14, ARRAYS = 16 };

static void tell(struct futhark_context *ctx, int code) {
  char *error = futhark_context_get_error(ctx);
  printf(error == NULL ? "%d\n" : "%d %s\n", code, error);
  free(error);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_device_memory_limit(cfg, 4 * ELEMENTS * sizeof(int32_t) + 4096);
  struct futhark_context *ctx = futhark_context_new(cfg);
  static int32_t numbers[ARRAYS][ELEMENTS], values[ELEMENTS];
  struct futhark_i32_1d *xs[ARRAYS] = {NULL};
  unsigned char *raw = NULL;
  for (int i = 0; i < ARRAYS; i++) {
    for (int k = 0; k < ELEMENTS; k++) {
      numbers[i][k] = (i * 31 + k * 17) % 101;
    }
    xs[i] = futhark_new_i32_1d(ctx, numbers[i], ELEMENTS);
    CHECK(xs[i] != NULL);
    // This one stays where it is.
    if (i == 0) {
      raw = futhark_values_raw_i32_1d(ctx, xs[0]);
      CHECK(raw != NULL);
    }
  }
  for (int i = 0; i < ARRAYS; i++) {
    int other = (i * 5 + 3) % ARRAYS;
    int32_t sum = 0, expected = 0;
    CHECK(futhark_entry_dot(ctx, &sum, xs[i], xs[other]) == 0);
    for (int k = 0; k < ELEMENTS; k++) {
      expected += numbers[i][k] * numbers[other][k];
    }
    CHECK(sum == expected);
    CHECK(futhark_values_i32_1d(ctx, xs[other], values) == 0 && memcmp(values, numbers[other], sizeof values) == 0);
  }
  CHECK(futhark_values_raw_i32_1d(ctx, xs[0]) == raw);
  char *report = futhark_context_report(ctx);
  printf("%s\n", report);
  free(report);
  // More than is allowed: one array, and two that a kernel needs at once, beside the one that stays.
  struct futhark_i32_1d *large[2] = {futhark_new_i32_1d(ctx, NULL, 5 * ELEMENTS), NULL};
  tell(ctx, large[0] == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS);
  for (int i = 0; i < 2; i++) {
    large[i] = futhark_new_i32_1d(ctx, NULL, 2 * ELEMENTS);
    CHECK(large[i] != NULL);
  }
  int32_t sum = 0;
  tell(ctx, futhark_entry_dot(ctx, &sum, large[0], large[1]));
  // All else goes on.
  tell(ctx, futhark_entry_dot(ctx, &sum, large[0], large[0]));
  CHECK(sum == 0 && futhark_index_i32_1d(ctx, &sum, xs[3], 7) == 0 && sum == numbers[3][7]);
  for (int i = 0; i < 2; i++) {
    futhark_free_i32_1d(ctx, large[i]);
  }
  for (int i = 0; i < ARRAYS; i++) {
    futhark_free_i32_1d(ctx, xs[i]);
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
