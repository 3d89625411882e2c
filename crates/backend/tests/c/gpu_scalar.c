// Every case on all combinations of its values, the last one changing fastest.

static int my_case(struct futhark_context *ctx, int number, struct fe_mem *mem, uint64_t *numbers) {
  const struct my_case *tested = &my_cases[number];
  const int64_t bytes = MY_MOST * (int64_t)sizeof *numbers;
  int64_t count = 1;
  for (int p = 0; p < tested->arity; p++) {
    count *= tested->counts[p];
  }
  int64_t each = count;
  for (int p = 0; p < tested->arity; p++) {
    each /= tested->counts[p];
    for (int64_t k = 0; k < count; k++) {
      numbers[k] = tested->values[p][k / each % tested->counts[p]];
    }
    int code = fe_put(ctx, mem->data + p * bytes, numbers, bytes);
    if (code != FUTHARK_SUCCESS) {
      return code;
    }
  }
  void *p0 = mem->data, *p1 = mem->data + bytes, *p2 = mem->data + 2 * bytes, *r = mem->data + 3 * bytes;
  int32_t which = number % MY_PER_KERNEL;
  const struct fe_arg args[] = {{&p0, sizeof p0, FE_WRITTEN}, {&p1, sizeof p1, FE_WRITTEN},       {&p2, sizeof p2, FE_WRITTEN},
                                {&r, sizeof r, FE_WRITTEN},   {&count, sizeof count, FE_VALUE}, {&which, sizeof which, FE_VALUE}};
  int code = fe_launch(ctx, number / MY_PER_KERNEL, (count + 63) / 64, 64, 0, 6, args);
  if (code == FUTHARK_SUCCESS) {
    code = fe_fetch(ctx, numbers, r, count * (int64_t)sizeof *numbers);
  }
  fwrite(numbers, sizeof *numbers, (size_t)count, stdout);
  return code;
}

static int my_run(struct futhark_context *ctx, int64_t *out) {
  struct fe_mem mem = {0};
  uint64_t *numbers = calloc(MY_MOST, sizeof *numbers);
  int code = fe_alloc(ctx, &mem, 4 * MY_MOST * (int64_t)sizeof *numbers);
  for (int i = 0; i < MY_CASES && code == FUTHARK_SUCCESS; i++) {
    code = my_case(ctx, i, &mem, numbers);
  }
  free(numbers);
  fe_free(ctx, &mem);
  *out = 0;
  return code;
}
