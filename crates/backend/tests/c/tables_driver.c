// Prints the tables, and calls entry points with nothing but what they say.

static void fail(struct futhark_context *ctx, const char *what) {
  char *error = futhark_context_get_error(ctx);
  fprintf(stderr, "%s: %s\n", what, error == NULL ? "no error" : error);
  free(error);
  abort();
}

static const struct fe_type *find_type(const char *name) {
  for (int i = 0; i < fe_program.num_types; i++) {
    if (strcmp(fe_program.types[i]->name, name) == 0) {
      return fe_program.types[i];
    }
  }
  abort();
}

static const struct fe_entry *find_entry(const char *name) {
  for (int i = 0; i < fe_program.num_entries; i++) {
    if (strcmp(fe_program.entries[i].name, name) == 0) {
      return &fe_program.entries[i];
    }
  }
  abort();
}

static void print_fields(int count, const struct fe_field *fields) {
  for (int i = 0; i < count; i++) {
    printf("  .%s: %s\n", fields[i].name, fields[i].type->name);
  }
}

static void print_tables(void) {
  for (int i = 0; i < fe_program.num_types; i++) {
    const struct fe_type *type = fe_program.types[i];
    printf("type %s kind %d rank %d prim %s\n", type->name, (int)type->kind, type->rank,
           type->prim == NULL ? "-" : type->prim->name);
    if (type->record != NULL) {
      print_fields(type->record->num_fields, type->record->fields);
    }
    for (int v = 0; type->sum != NULL && v < type->sum->num_variants; v++) {
      printf("  #%s", type->sum->variants[v].name);
      for (int p = 0; p < type->sum->variants[v].num_payload; p++) {
        printf(" %s", type->sum->variants[v].payload[p]->name);
      }
      printf("\n");
    }
    if (type->opaque_array != NULL) {
      printf("  rank %d of %s\n", type->opaque_array->rank, type->opaque_array->elem->name);
      print_fields(type->opaque_array->num_fields, type->opaque_array->fields);
    }
  }
  for (int i = 0; i < fe_program.num_entries; i++) {
    const struct fe_entry *entry = &fe_program.entries[i];
    printf("entry %s", entry->name);
    for (int j = 0; j < entry->num_inputs; j++) {
      printf(" (%s: %s%s)", entry->input_names[j], entry->consumed[j] ? "*" : "", entry->inputs[j]->name);
    }
    printf(" -> %s%s", entry->fresh ? "*" : "", entry->output->name);
    for (int j = 0; j < entry->num_tuning_params; j++) {
      printf(" param %s", futhark_get_tuning_param_name(entry->tuning_params[j]));
    }
    for (int j = 0; j < entry->num_attributes; j++) {
      printf(" #[%s]", entry->attributes[j]);
    }
    printf("\n");
  }
}

static void records(struct futhark_context *ctx) {
  const struct fe_type *point = find_type("point"), *points = find_type("[]point"), *floats = find_type("[]f32");
  float x = 1.5f, y = 2.5f, z = 0;
  const void *fields[] = {&x, &y};
  void *object = NULL, *array = NULL, *element = NULL, *xs = NULL, *zipped = NULL;
  if (point->record->make(ctx, &object, fields) != 0) fail(ctx, "make");
  const void *elems[] = {&object, &object, &object};
  int64_t shape[] = {3}, index[] = {2}, far[] = {3};
  if (points->opaque_array->make(ctx, &array, elems, shape) != 0) fail(ctx, "array");
  if (points->opaque_array->shape(ctx, array)[0] != 3) fail(ctx, "shape");
  if (points->opaque_array->index(ctx, &element, array, index) != 0) fail(ctx, "index");
  if (point->record->fields[1].project(ctx, &z, element) != 0 || z != 2.5f) fail(ctx, "project");
  if (points->opaque_array->set(ctx, array, &element, far) == 0) fail(ctx, "set");
  free(futhark_context_get_error(ctx));
  if (points->opaque_array->fields[0].project(ctx, &xs, array) != 0) fail(ctx, "project array");
  if (floats->array_index(ctx, &z, xs, index) != 0 || z != 1.5f) fail(ctx, "element");
  const void *arrays[] = {&xs, &xs};
  if (points->opaque_array->zip(ctx, &zipped, arrays) != 0) fail(ctx, "zip");
  if (points->opaque_array->set(ctx, zipped, &element, index) != 0) fail(ctx, "set");
  void *bytes = NULL;
  size_t size = 0;
  if (points->opaque_store(ctx, zipped, &bytes, &size) != 0) fail(ctx, "store");
  points->opaque_free(ctx, zipped);
  zipped = points->opaque_restore(ctx, bytes);
  if (zipped == NULL) fail(ctx, "restore");
  free(bytes);
  floats->array_free(ctx, xs);
  points->opaque_free(ctx, zipped);
  points->opaque_free(ctx, array);
  point->opaque_free(ctx, object);
  point->opaque_free(ctx, element);
}

static void sums(struct futhark_context *ctx) {
  const struct fe_type *shape = find_type("shape"), *matrix = find_type("[][]i32");
  int32_t corners[] = {1, 2, 3, 4, 5, 6};
  int64_t sizes[] = {3, 2};
  void *array = matrix->array_new(ctx, corners, sizes), *poly = NULL, *again = NULL, *nothing = NULL;
  const void *payload[] = {&array};
  if (shape->sum->variants[1].construct(ctx, &poly, payload) != 0) fail(ctx, "construct");
  if (shape->sum->variants[3].construct(ctx, &nothing, NULL) != 0) fail(ctx, "construct");
  if (shape->sum->variant(ctx, poly) != 1) fail(ctx, "variant");
  void *outs[] = {&again};
  if (shape->sum->variants[1].destruct(ctx, outs, poly) != 0) fail(ctx, "destruct");
  if (shape->sum->variants[3].destruct(ctx, NULL, nothing) != 0) fail(ctx, "destruct");
  float area = 0;
  const void *inputs[] = {&poly};
  if (find_entry("area")->call(ctx, &area, inputs) != 0 || area != 12) fail(ctx, "area");
  int32_t copy[6];
  if (matrix->array_values(ctx, again, copy) != 0 || copy[5] != 6) fail(ctx, "values");
  if (matrix->array_shape(ctx, again)[0] != 3) fail(ctx, "shape");
  matrix->array_free(ctx, array);
  matrix->array_free(ctx, again);
  shape->opaque_free(ctx, poly);
  shape->opaque_free(ctx, nothing);
}

int main(void) {
  print_tables();
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  records(ctx);
  sums(ctx);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
