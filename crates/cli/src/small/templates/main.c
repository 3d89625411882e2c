// Calls the program in @NAME@.fut.
#include "@MODULE@.h"
#include <stdio.h>

int main(void) {
  struct futhark_context_config *config = futhark_context_config_new();
  struct futhark_context *context = futhark_context_new(config);
  const double numbers[] = {1.0, 2.0, 6.0};
  struct futhark_f64_1d *xs = futhark_new_f64_1d(context, numbers, 3);
  double deviation;
  int failed = futhark_entry_deviation(context, &deviation, xs);
  if (!failed) {
    failed = futhark_context_sync(context);
  }
  if (failed) {
    fprintf(stderr, "%s\n", futhark_context_get_error(context));
  } else {
    printf("standard deviation %g\n", deviation);
  }
  futhark_free_f64_1d(context, xs);
  futhark_context_free(context);
  futhark_context_config_free(config);
  return failed != 0;
}
