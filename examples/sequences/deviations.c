// Calls the entry points of deviations.fut with functions for their sequences:
//
//   fehu c --library deviations.fut -o library && cc deviations.c library.c -o deviations -lm
//
// The numbers are made as they are asked for: none of them is ever in memory together with all others.

#include "library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 100000, MOST = 1000 };

// A source of numbers, a chunk at a time. It can start again.
struct numbers {
  int64_t at, chunk;
  bool once;
  double buffer[MOST];
  const void *columns[1];
};

static int next_numbers(void *state, int64_t want, struct futhark_chunk *chunk) {
  struct numbers *numbers = state;
  if (want == 0) {
    numbers->at = 0;
    return numbers->once;
  }
  int64_t count = numbers->chunk < NUMBERS - numbers->at ? numbers->chunk : NUMBERS - numbers->at;
  for (int64_t i = 0; i < count; i++) {
    numbers->buffer[i] = (double)(numbers->at + i);
  }
  numbers->at += count;
  numbers->columns[0] = numbers->buffer;
  chunk->count = count;
  chunk->columns = numbers->columns;
  return 0;
}

// What comes of them: their number, and the sum of their squares.
struct sum {
  int64_t count;
  double squares;
};

static int add(void *state, const struct futhark_chunk *chunk) {
  struct sum *sum = state;
  const double *numbers = chunk->columns[0];
  for (int64_t i = 0; i < chunk->count; i++) {
    sum->squares += numbers[i] * numbers[i];
  }
  sum->count += chunk->count;
  return 0;
}

static int refuse(void *state, const struct futhark_chunk *chunk) {
  (void)state;
  (void)chunk;
  return 7;
}

// Lines: their sizes, and all of their bytes.
static int three_lines(void *state, int64_t want, struct futhark_chunk *chunk) {
  static const int64_t sizes[] = {2, 5, 3};
  static const void *const columns[] = {sizes, "hiworldall"};
  bool *done = state;
  (void)want;
  if (!*done) {
    *done = true;
    *chunk = (struct futhark_chunk){3, 10, columns, NULL};
  }
  return 0;
}

static int show(void *state, const struct futhark_chunk *chunk) {
  (void)state;
  const int64_t *numbers = chunk->columns[0];
  for (int64_t i = 0; i < chunk->count; i++) {
    printf("%lld\n", (long long)numbers[i]);
  }
  return 0;
}

static int failed(struct futhark_context *ctx) {
  char *error = futhark_context_get_error(ctx);
  printf("%s\n", error == NULL ? "?" : error);
  free(error);
  return 0;
}

int main(int argc, char **argv) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  struct numbers numbers = {.chunk = argc > 1 ? atoi(argv[1]) : MOST};
  struct sum sum = {0};
  struct futhark_opaque_tup2_f64_arr1d_f64 *result;
  double mean;
  if (futhark_stream_main(ctx, &result, add, &sum, next_numbers, &numbers) != 0) {
    return failed(ctx) + 1;
  }
  futhark_project_opaque_tup2_f64_arr1d_f64_0(ctx, &mean, result);
  futhark_free_opaque_tup2_f64_arr1d_f64(ctx, result);
  printf("%lld numbers, mean %.1f, variance %.2f\n", (long long)sum.count, mean, sum.squares / (double)sum.count);

  bool done = false;
  struct futhark_i64_1d *lengths; // empty: they were shown
  if (futhark_stream_longer(ctx, &lengths, show, NULL, 2, three_lines, &done) != 0) {
    return failed(ctx) + 1;
  }
  futhark_free_i64_1d(ctx, lengths);

  // A source that cannot start again, and a sink that takes nothing.
  struct numbers once = {.chunk = MOST, .once = true};
  if (futhark_stream_main(ctx, &result, add, &sum, next_numbers, &once) != 0) {
    failed(ctx);
  }
  numbers.at = 0;
  if (futhark_stream_main(ctx, &result, refuse, NULL, next_numbers, &numbers) != 0) {
    failed(ctx);
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
