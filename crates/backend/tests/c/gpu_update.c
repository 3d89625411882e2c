// Does every update by several blocks, and writes the elements of global and then those of shared memory.

static int my_update(struct futhark_context *ctx, int number, struct fe_mem *mem) {
  unsigned char bytes[8 * MY_THREADS];
  int size = my_sizes[number];
  for (int i = 0; i < MY_THREADS; i++) {
    memcpy(bytes + i * size, &my_inputs[number * MY_THREADS + i], (size_t)size);
  }
  void *x = mem->data, *p = mem->data + sizeof bytes;
  int code = fe_put(ctx, x, bytes, MY_THREADS * size);
  if (code == FUTHARK_SUCCESS) {
    code = fe_device_copy(ctx, p, x, MY_ELEMENTS * size);
  }
  int32_t which = number;
  const struct fe_arg args[] = {{&p, sizeof p, FE_WRITTEN}, {&x, sizeof x, FE_WRITTEN}, {&which, sizeof which, FE_VALUE}};
  if (code == FUTHARK_SUCCESS) {
    code = fe_launch(ctx, my_kernels[number], MY_THREADS / MY_BLOCK, MY_BLOCK, 0, 3, args);
  }
  if (code == FUTHARK_SUCCESS) {
    code = fe_fetch(ctx, bytes, p, 2 * MY_ELEMENTS * size);
  }
  for (int i = 0; i < 2 * MY_ELEMENTS && code == FUTHARK_SUCCESS; i++) {
    uint64_t bits = 0;
    memcpy(&bits, bytes + i * size, (size_t)size);
    fwrite(&bits, sizeof bits, 1, stdout);
  }
  return code;
}

static int my_run(struct futhark_context *ctx, int64_t *out) {
  struct fe_mem mem = {0};
  int code = fe_alloc(ctx, &mem, 2 * 8 * MY_THREADS);
  for (int i = 0; i < MY_UPDATES && code == FUTHARK_SUCCESS; i++) {
    code = my_update(ctx, i, &mem);
  }
  fe_free(ctx, &mem);
  *out = 0;
  return code;
}
