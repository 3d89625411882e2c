// Reads values of a type in either format from standard input, and writes them as text, or as binary data if there is
// a third argument: PROGRAM PRIM RANK [b]. What is wrong is written to standard error.

#include "base.h"
#include "types.h"
#include "values.c"
#include "values_scalar.c"
#include "values_number.c"
#include "values_print.c"
#include "values_text.c"
#include "values_binary.c"

int main(int argc, char **argv) {
  const struct fe_prim *prim = NULL;
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    if (argc >= 3 && strcmp(fe_prims[i]->name, argv[1]) == 0) {
      prim = fe_prims[i];
    }
  }
  struct fe_input in;
  if (prim == NULL || fe_input_init(&in, stdin) != 0) {
    return 2;
  }
  int failed = 0;
  do {
    struct fe_value value;
    failed = fe_value_read(&in, prim, atoi(argv[2]), &value);
    if (failed != 0) {
      fprintf(stderr, "%s\n", in.message);
      break;
    }
    failed = argc > 3 ? fe_binary_write(stdout, &value) : fe_text_write(stdout, &value) || putchar('\n') == EOF;
    fe_value_free(&value);
  } while (failed == 0 && fe_input_peek(&in) != -1);
  fe_input_free(&in);
  return failed;
}
