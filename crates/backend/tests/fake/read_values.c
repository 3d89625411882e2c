// Reads values of a type in either format from standard input, and writes them as text, or as binary data if there is
// a third argument: PROGRAM PRIM RANK [b]. What is wrong is written to standard error.
//
// PROGRAM PRIM RANK files FILE... reads each file instead, and writes its values as text, what is wrong, and a byte 1.

#include "base.h"
#include "types.h"
#include "prims.c"
#include "values.c"
#include "values_scalar.c"
#include "values_number.c"
#include "values_print.c"
#include "values_text.c"
#include "values_binary.c"

static void read_file(const struct fe_prim *prim, int rank, const char *name) {
  FILE *file = fopen(name, "rb");
  struct fe_input in;
  if (file == NULL || fe_input_init(&in, file) != 0) {
    exit(2);
  }
  do {
    struct fe_value value;
    if (fe_value_read(&in, prim, rank, &value) != 0) {
      printf("error: %s\n", in.message);
      break;
    }
    fe_text_write(stdout, &value);
    putchar('\n');
    fe_value_free(&value);
  } while (fe_input_peek(&in) != -1);
  putchar(1);
  fe_input_free(&in);
  fclose(file);
}

int main(int argc, char **argv) {
  const struct fe_prim *prim = NULL;
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    if (argc >= 3 && strcmp(fe_prims[i]->name, argv[1]) == 0) {
      prim = fe_prims[i];
    }
  }
  if (prim != NULL && argc > 3 && strcmp(argv[3], "files") == 0) {
    for (int i = 4; i < argc; i++) {
      read_file(prim, atoi(argv[2]), argv[i]);
    }
    return 0;
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
