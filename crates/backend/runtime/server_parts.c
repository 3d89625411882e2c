// Commands that inspect values and construct them from parts: arrays, records, sums.

static int fe_array_rank(const struct fe_type *type) {
  return type->kind == FE_ARRAY ? type->rank : type->opaque_array != NULL ? type->opaque_array->rank : 0;
}

static const struct fe_type *fe_array_elem(const struct fe_type *type) {
  return type->kind == FE_ARRAY ? fe_scalar_type(type->prim) : type->opaque_array->elem;
}

static const int64_t *fe_array_shape(struct fe_server *server, const struct fe_var *var) {
  return var->type->kind == FE_ARRAY ? var->type->array_shape(server->ctx, var->slot.pointer)
                                     : var->type->opaque_array->shape(server->ctx, var->slot.pointer);
}

// An array type; NULL if it is none, which has been said.
static const struct fe_type *fe_find_array_type(const char *name) {
  const struct fe_type *type = fe_find_type(name);
  if (type != NULL && fe_array_rank(type) == 0) {
    fe_failure("the type %s is not an array type", name);
    return NULL;
  }
  return type;
}

static struct fe_var *fe_find_array(struct fe_server *server, const char *name) {
  struct fe_var *var = fe_find_var(server, name);
  if (var != NULL && fe_array_rank(var->type) == 0) {
    fe_failure("the variable \"%s\" has type %s, which is not an array type", name, var->type->name);
    return NULL;
  }
  return var;
}

static int fe_cmd_rank(struct fe_server *server) {
  const struct fe_type *type = fe_find_array_type(server->words[1]);
  if (type != NULL) {
    printf("%d\n", fe_array_rank(type));
  }
  return type == NULL;
}

static int fe_cmd_elemtype(struct fe_server *server) {
  const struct fe_type *type = fe_find_array_type(server->words[1]);
  if (type != NULL) {
    puts(fe_array_elem(type)->name);
  }
  return type == NULL;
}

static int fe_cmd_shape(struct fe_server *server) {
  struct fe_var *var = fe_find_array(server, server->words[1]);
  if (var == NULL) {
    return 1;
  }
  const int64_t *shape = fe_array_shape(server, var);
  for (int i = 0; i < fe_array_rank(var->type); i++) {
    printf("%lld\n", (long long)shape[i]);
  }
  return 0;
}

// Reads `rank` integers from words into memory that is to be freed; NULL if that fails, which has been said.
static int64_t *fe_integers(int rank, char **words, const char *what) {
  int64_t *integers = malloc(sizeof(int64_t) * (size_t)(rank + 1));
  if (integers == NULL) {
    fe_no_memory();
    return NULL;
  }
  for (int i = 0; i < rank; i++) {
    char *end = NULL;
    errno = 0;
    long long integer = strtoll(words[i], &end, 10);
    if (errno != 0 || end == words[i] || *end != 0) {
      fe_failure("`%s` is not %s", words[i], what);
      free(integers);
      return NULL;
    }
    integers[i] = integer;
  }
  return integers;
}

// Likewise, as a place in an array.
static int64_t *fe_indices(struct fe_server *server, const struct fe_var *array, char **words, int given) {
  int rank = fe_array_rank(array->type);
  if (given != rank) {
    fe_failure("the array \"%s\" has type %s, so %d ind%s needed, but %d %s given", array->name, array->type->name, rank,
               rank == 1 ? "ex is" : "ices are", given, given == 1 ? "is" : "are");
    return NULL;
  }
  int64_t *indices = fe_integers(rank, words, "an index");
  const int64_t *shape = fe_array_shape(server, array);
  for (int i = 0; indices != NULL && i < rank; i++) {
    if (indices[i] < 0 || indices[i] >= shape[i]) {
      fe_failure("the index %lld is out of bounds: dimension %d of \"%s\" has size %lld", (long long)indices[i], i,
                 array->name, (long long)shape[i]);
      free(indices);
      return NULL;
    }
  }
  return indices;
}

static int fe_cmd_index(struct fe_server *server) {
  struct fe_var *array = fe_find_array(server, server->words[2]);
  int64_t *indices = array == NULL ? NULL : fe_indices(server, array, server->words + 3, server->num_words - 3);
  if (indices == NULL) {
    return 1;
  }
  struct fe_var *var = fe_add_var(server, server->words[1], fe_array_elem(array->type));
  int failed = 1;
  if (var != NULL) {
    int code = array->type->kind == FE_ARRAY
                   ? array->type->array_index(server->ctx, &var->slot, array->slot.pointer, indices)
                   : array->type->opaque_array->index(server->ctx, &var->slot, array->slot.pointer, indices);
    failed = fe_made_var(server, var, code);
  }
  free(indices);
  return failed;
}

static const struct fe_type *fe_this_type(const void *type, int i) {
  (void)i;
  return type;
}

// Makes an array of primitive elements.
static int fe_new_array_of_scalars(struct fe_server *server, struct fe_var *var, const int64_t *shape,
                                   const void *const *elems, size_t count) {
  size_t size = var->type->prim->size;
  unsigned char *data = malloc(count * size + 1);
  if (data == NULL) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < count; i++) {
    memcpy(data + i * size, elems[i], size);
  }
  struct fe_value value = {var->type->prim, var->type->rank, NULL, data};
  // The shape is only read.
  value.shape = (int64_t *)shape;
  int code = fe_slot_from_value(server->ctx, var->type, &value, &var->slot);
  free(data);
  return code;
}

static int fe_cmd_new_array(struct fe_server *server) {
  const struct fe_type *type = fe_find_array_type(server->words[2]);
  if (type == NULL) {
    return 1;
  }
  int rank = fe_array_rank(type);
  int count = server->num_words - 3 - rank;
  if (count < 0) {
    return fe_failure("the type %s needs %d sizes, but only %d are given", type->name, rank, server->num_words - 3);
  }
  int64_t *shape = fe_integers(rank, server->words + 3, "a size");
  if (shape == NULL) {
    return 1;
  }
  int failed = 0;
  for (int i = 0; i < rank && failed == 0; i++) {
    failed = shape[i] < 0 ? fe_failure("the size %lld is negative", (long long)shape[i]) : 0;
  }
  // Elements of one byte: this is only about their number.
  int64_t needed = failed == 0 ? fe_count(&fe_prim_u8, rank, shape) : 0;
  if (failed == 0 && needed != count) {
    failed = needed < 0 ? fe_failure("the sizes are larger than any memory")
                        : fe_failure("the sizes make %lld element%s, but %d %s given", (long long)needed,
                                     needed == 1 ? "" : "s", count, count == 1 ? "is" : "are");
  }
  const void **elems =
      failed != 0 ? NULL : fe_typed_values(server, count, server->words + 3 + rank, fe_this_type, fe_array_elem(type));
  struct fe_var *var = elems == NULL ? NULL : fe_add_var(server, server->words[1], type);
  if (var != NULL) {
    int code = type->kind == FE_ARRAY ? fe_new_array_of_scalars(server, var, shape, elems, (size_t)count)
                                      : type->opaque_array->make(server->ctx, &var->slot.pointer, elems, shape);
    failed = fe_made_var(server, var, code);
  } else {
    failed = 1;
  }
  free(elems);
  free(shape);
  return failed;
}

// Replaces one scalar. There is no such operation on arrays, so the array is made anew.
static int fe_set_scalar(struct fe_server *server, struct fe_var *array, const struct fe_var *elem,
                         const int64_t *indices) {
  struct fe_value value;
  int code = fe_value_from_slot(server->ctx, array->type, &array->slot, &value);
  if (code != 0) {
    return code;
  }
  int64_t at = 0;
  for (int i = 0; i < value.rank; i++) {
    at = at * value.shape[i] + indices[i];
  }
  size_t size = value.prim->size;
  memcpy((unsigned char *)value.data + (size_t)at * size, elem->slot.scalar, size);
  union fe_slot slot;
  code = fe_slot_from_value(server->ctx, array->type, &value, &slot);
  fe_value_free(&value);
  if (code == 0) {
    code = fe_slot_free(server->ctx, array->type, &array->slot);
    array->slot = slot;
  }
  return code;
}

static int fe_cmd_set(struct fe_server *server) {
  struct fe_var *array = fe_find_array(server, server->words[1]);
  struct fe_var *elem =
      array == NULL ? NULL : fe_find_typed(server, server->words[2], fe_array_elem(array->type));
  int64_t *indices = elem == NULL ? NULL : fe_indices(server, array, server->words + 3, server->num_words - 3);
  if (indices == NULL) {
    return 1;
  }
  int code = array->type->kind == FE_ARRAY
                 ? fe_set_scalar(server, array, elem, indices)
                 : array->type->opaque_array->set(server->ctx, array->slot.pointer, &elem->slot, indices);
  code = code == 0 ? futhark_context_sync(server->ctx) : code;
  free(indices);
  return code == 0 ? 0 : fe_context_failure(server, code);
}

// ---- Records, and arrays of them ----

static bool fe_is_record_array(const struct fe_type *type) {
  return type->kind == FE_OPAQUE && type->record == NULL && type->opaque_array != NULL && fe_num_parts(type) >= 0;
}

static int fe_not_a_record(const char *name) {
  return fe_failure("the type %s is neither a record type nor an array of records", name);
}

static int fe_cmd_fields(struct fe_server *server) {
  const struct fe_type *type = fe_find_type(server->words[1]);
  if (type == NULL || fe_num_parts(type) < 0) {
    return type == NULL ? 1 : fe_not_a_record(type->name);
  }
  for (int i = 0; i < fe_num_parts(type); i++) {
    printf("%s %s\n", fe_parts(type)[i].name, fe_parts(type)[i].type->name);
  }
  return 0;
}

// `new` and `zip`.
static int fe_put_together(struct fe_server *server, bool zip) {
  const struct fe_type *type = fe_find_type(server->words[2]);
  if (type == NULL) {
    return 1;
  }
  if (zip ? !fe_is_record_array(type) : type->kind != FE_OPAQUE || type->record == NULL) {
    return fe_failure("the type %s is not %s", type->name, zip ? "an array of records" : "a record type");
  }
  int given = server->num_words - 3;
  int count = fe_num_parts(type);
  if (given != count) {
    return fe_failure("the type %s has %d field%s, but %d %s given", type->name, count, count == 1 ? "" : "s", given,
                      given == 1 ? "is" : "are");
  }
  const void **values = fe_typed_values(server, count, server->words + 3, fe_field_type, fe_parts(type));
  struct fe_var *var = values == NULL ? NULL : fe_add_var(server, server->words[1], type);
  int failed = 1;
  if (var != NULL) {
    int code = zip ? type->opaque_array->zip(server->ctx, &var->slot.pointer, values)
                   : type->record->make(server->ctx, &var->slot.pointer, values);
    failed = fe_made_var(server, var, code);
  }
  free(values);
  return failed;
}

static int fe_cmd_new(struct fe_server *server) {
  return fe_put_together(server, false);
}

static int fe_cmd_zip(struct fe_server *server) {
  return fe_put_together(server, true);
}

static int fe_cmd_unzip(struct fe_server *server) {
  struct fe_var *array = fe_find_var(server, server->words[1]);
  if (array == NULL) {
    return 1;
  }
  const struct fe_type *type = array->type;
  if (!fe_is_record_array(type)) {
    return fe_failure("the variable \"%s\" has type %s, which is not an array of records", array->name, type->name);
  }
  int given = server->num_words - 2;
  int count = fe_num_parts(type);
  char **names = server->words + 2;
  if (given != count) {
    return fe_failure("the type %s has %d field%s, but %d variable%s given", type->name, count, count == 1 ? "" : "s",
                      given, given == 1 ? " is" : "s are");
  }
  if (fe_add_vars(server, count, names, fe_field_type, fe_parts(type)) != 0) {
    return 1;
  }
  int code = 0;
  for (int i = 0; i < count && code == 0; i++) {
    code = fe_parts(type)[i].project(server->ctx, &(*fe_var_link(server, names[i]))->slot, array->slot.pointer);
  }
  code = code == 0 ? futhark_context_sync(server->ctx) : code;
  if (code != 0) {
    fe_remove_vars(server, count, names);
    return fe_context_failure(server, code);
  }
  return 0;
}

static int fe_cmd_project(struct fe_server *server) {
  struct fe_var *record = fe_find_var(server, server->words[2]);
  if (record == NULL || fe_num_parts(record->type) < 0) {
    return record == NULL ? 1 : fe_not_a_record(record->type->name);
  }
  const struct fe_type *type = record->type;
  for (int i = 0; i < fe_num_parts(type); i++) {
    const struct fe_field *field = &fe_parts(type)[i];
    if (strcmp(field->name, server->words[3]) == 0) {
      struct fe_var *var = fe_add_var(server, server->words[1], field->type);
      return var == NULL ? 1 : fe_made_var(server, var, field->project(server->ctx, &var->slot, record->slot.pointer));
    }
  }
  return fe_failure("the type %s has no field \"%s\"", type->name, server->words[3]);
}

// ---- Sums ----

// A sum type; NULL if it is none, which has been said.
static const struct fe_sum *fe_check_sum(const struct fe_type *type) {
  if (type->kind != FE_OPAQUE || type->sum == NULL) {
    fe_failure("the type %s is not a sum type", type->name);
    return NULL;
  }
  return type->sum;
}

static int fe_cmd_variants(struct fe_server *server) {
  const struct fe_type *type = fe_find_type(server->words[1]);
  const struct fe_sum *sum = type == NULL ? NULL : fe_check_sum(type);
  for (int i = 0; sum != NULL && i < sum->num_variants; i++) {
    puts(sum->variants[i].name);
    for (int j = 0; j < sum->variants[i].num_payload; j++) {
      printf("- %s\n", sum->variants[i].payload[j]->name);
    }
  }
  return sum == NULL;
}

// The variant of a variable; NULL if it has none, which has been said.
static const struct fe_variant *fe_variant_of(struct fe_server *server, const struct fe_var *var) {
  const struct fe_sum *sum = fe_check_sum(var->type);
  if (sum == NULL) {
    return NULL;
  }
  int variant = sum->variant(server->ctx, var->slot.pointer);
  if (variant < 0 || variant >= sum->num_variants) {
    fe_context_failure(server, FUTHARK_PROGRAM_ERROR);
    return NULL;
  }
  return &sum->variants[variant];
}

static int fe_cmd_variant(struct fe_server *server) {
  struct fe_var *var = fe_find_var(server, server->words[1]);
  const struct fe_variant *variant = var == NULL ? NULL : fe_variant_of(server, var);
  if (variant != NULL) {
    puts(variant->name);
  }
  return variant == NULL;
}

static const struct fe_type *fe_payload_type(const void *variant, int i) {
  return ((const struct fe_variant *)variant)->payload[i];
}

static int fe_check_payload(const struct fe_variant *variant, int given) {
  if (given == variant->num_payload) {
    return 0;
  }
  return fe_failure("the variant \"%s\" has %d value%s, but %d %s given", variant->name, variant->num_payload,
                    variant->num_payload == 1 ? "" : "s", given, given == 1 ? "is" : "are");
}

static int fe_cmd_construct(struct fe_server *server) {
  const struct fe_type *type = fe_find_type(server->words[2]);
  const struct fe_sum *sum = type == NULL ? NULL : fe_check_sum(type);
  if (sum == NULL) {
    return 1;
  }
  const struct fe_variant *variant = NULL;
  for (int i = 0; i < sum->num_variants; i++) {
    if (strcmp(sum->variants[i].name, server->words[3]) == 0) {
      variant = &sum->variants[i];
    }
  }
  if (variant == NULL) {
    return fe_failure("the type %s has no variant \"%s\"", type->name, server->words[3]);
  }
  int given = server->num_words - 4;
  if (fe_check_payload(variant, given) != 0) {
    return 1;
  }
  const void **values = fe_typed_values(server, given, server->words + 4, fe_payload_type, variant);
  struct fe_var *var = values == NULL ? NULL : fe_add_var(server, server->words[1], type);
  int failed = var == NULL ? 1 : fe_made_var(server, var, variant->construct(server->ctx, &var->slot.pointer, values));
  free(values);
  return failed;
}

static int fe_cmd_destruct(struct fe_server *server) {
  struct fe_var *var = fe_find_var(server, server->words[1]);
  const struct fe_variant *variant = var == NULL ? NULL : fe_variant_of(server, var);
  int given = server->num_words - 2;
  char **names = server->words + 2;
  if (variant == NULL || fe_check_payload(variant, given) != 0) {
    return 1;
  }
  void **outs = malloc(sizeof(void *) * (size_t)(given + 1));
  if (outs == NULL) {
    return fe_no_memory();
  }
  int failed = fe_add_vars(server, given, names, fe_payload_type, variant);
  if (failed == 0) {
    for (int i = 0; i < given; i++) {
      outs[i] = &(*fe_var_link(server, names[i]))->slot;
    }
    int code = variant->destruct(server->ctx, outs, var->slot.pointer);
    code = code == 0 ? futhark_context_sync(server->ctx) : code;
    if (code != 0) {
      fe_remove_vars(server, given, names);
      failed = fe_context_failure(server, code);
    }
  }
  free(outs);
  return failed;
}
