// Values of any type that the tables describe: objects of the program's API, and their host data.

#include <time.h>

// The C representation of a value: a scalar, or the pointer that the interface hands out. The other members are the
// types with which the interface reads and writes scalars here.
union fe_slot {
  unsigned char scalar[8];
  void *pointer;
  int8_t i8;
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  float f32;
  double f64;
  bool truth;
};

// The value as functions take it that want "the object itself".
static void *fe_slot_object(const union fe_slot *slot) {
  return slot->pointer;
}

static int fe_slot_free(struct futhark_context *ctx, const struct fe_type *type, union fe_slot *slot) {
  int result = 0;
  if (type->kind != FE_PRIM && slot->pointer != NULL) {
    result = type->kind == FE_ARRAY ? type->array_free(ctx, slot->pointer) : type->opaque_free(ctx, slot->pointer);
  }
  memset(slot, 0, sizeof *slot);
  return result;
}

// Copies a scalar or an array into memory of its own. `value` is {0} if this fails.
static int fe_value_from_slot(struct futhark_context *ctx, const struct fe_type *type, const union fe_slot *slot,
                              struct fe_value *value) {
  memset(value, 0, sizeof *value);
  value->prim = type->prim;
  value->rank = type->rank;
  value->shape = malloc(sizeof(int64_t) * (size_t)(type->rank + 1));
  if (value->shape == NULL) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  if (type->rank > 0) {
    memcpy(value->shape, type->array_shape(ctx, slot->pointer), sizeof(int64_t) * (size_t)type->rank);
  }
  int64_t count = fe_count(type->prim, type->rank, value->shape);
  value->data = count < 0 ? NULL : malloc((size_t)count * type->prim->size + 1);
  int result = value->data == NULL ? FUTHARK_OUT_OF_MEMORY : 0;
  if (result == 0 && type->kind == FE_PRIM) {
    memcpy(value->data, slot->scalar, type->prim->size);
  } else if (result == 0) {
    result = type->array_values(ctx, slot->pointer, value->data);
    result = result == 0 ? futhark_context_sync(ctx) : result;
  }
  if (result != 0) {
    fe_value_free(value);
  }
  return result;
}

// Makes an object of a scalar or an array.
static int fe_slot_from_value(struct futhark_context *ctx, const struct fe_type *type, const struct fe_value *value,
                              union fe_slot *slot) {
  memset(slot, 0, sizeof *slot);
  if (type->kind == FE_PRIM) {
    memcpy(slot->scalar, value->data, type->prim->size);
    return 0;
  }
  // An empty array that was read has no data, but the interface may copy no bytes from there.
  static const unsigned char nothing[8] = {0};
  slot->pointer = type->array_new(ctx, value->data != NULL ? value->data : nothing, value->shape);
  if (slot->pointer == NULL) {
    return FUTHARK_PROGRAM_ERROR;
  }
  // The data is only borrowed, so the copy must be over when this returns.
  int result = futhark_context_sync(ctx);
  if (result != 0) {
    fe_slot_free(ctx, type, slot);
  }
  return result;
}

// ---- Types that consist of others ----

// The parts that a value of a type is written as: the fields of a record or of an array of records. -1 if it is no
// such type.
static int fe_num_parts(const struct fe_type *type) {
  if (type->kind != FE_OPAQUE) {
    return -1;
  }
  if (type->record != NULL) {
    return type->record->num_fields;
  }
  if (strcmp(type->name, "()") == 0) {
    return 0;
  }
  return type->opaque_array != NULL && type->opaque_array->zip != NULL ? type->opaque_array->num_fields : -1;
}

static const struct fe_field *fe_parts(const struct fe_type *type) {
  return type->record != NULL ? type->record->fields : type->opaque_array != NULL ? type->opaque_array->fields : NULL;
}

// Whether values of a type have a form outside the program: scalars, arrays, and what consists of them.
static bool fe_has_text(const struct fe_type *type) {
  if (type->kind != FE_OPAQUE) {
    return true;
  }
  int parts = fe_num_parts(type);
  for (int i = 0; i < parts; i++) {
    if (!fe_has_text(fe_parts(type)[i].type)) {
      return false;
    }
  }
  return parts >= 0;
}

// Likewise, if sums count: a sum is the number of its variant, a u8, and then what that carries.
static bool fe_has_values(const struct fe_type *type) {
  if (type->kind == FE_OPAQUE && type->sum != NULL) {
    for (int i = 0; i < type->sum->num_variants; i++) {
      const struct fe_variant *variant = &type->sum->variants[i];
      for (int j = 0; j < variant->num_payload; j++) {
        if (!fe_has_values(variant->payload[j])) {
          return false;
        }
      }
    }
    return type->sum->num_variants <= 256;
  }
  int parts = fe_num_parts(type);
  for (int i = 0; i < parts; i++) {
    if (!fe_has_values(fe_parts(type)[i].type)) {
      return false;
    }
  }
  return type->kind != FE_OPAQUE || parts >= 0;
}

// Puts an object together from its parts.
static int fe_make(struct futhark_context *ctx, const struct fe_type *type, union fe_slot *slot,
                   const union fe_slot *parts) {
  int count = fe_num_parts(type);
  if (type->record == NULL && type->opaque_array == NULL) {
    return FUTHARK_PROGRAM_ERROR; // a unit that is no record cannot be made
  }
  const void **pointers = malloc(sizeof(void *) * (size_t)(count + 1));
  if (pointers == NULL) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  for (int i = 0; i < count; i++) {
    pointers[i] = &parts[i];
  }
  memset(slot, 0, sizeof *slot);
  int result = type->record != NULL ? type->record->make(ctx, &slot->pointer, pointers)
                                    : type->opaque_array->zip(ctx, &slot->pointer, pointers);
  free(pointers);
  return result;
}

static int fe_slot_write(struct futhark_context *ctx, FILE *file, bool binary, bool lines, const struct fe_type *type,
                         union fe_slot *slot);

// Writes one value, with an end of line if there are to be `lines`.
static int fe_value_write(FILE *file, bool binary, bool lines, struct fe_value *value) {
  int failed = binary ? fe_binary_write(file, value) : fe_text_write(file, value);
  return failed != 0 || (lines && putc('\n', file) == EOF) ? -1 : 0;
}

static int fe_sum_write(struct futhark_context *ctx, FILE *file, bool binary, bool lines, const struct fe_sum *sum,
                        union fe_slot *slot) {
  int number = sum->variant(ctx, fe_slot_object(slot));
  const struct fe_variant *variant = &sum->variants[number];
  size_t count = (size_t)variant->num_payload + 1;
  union fe_slot *payload = calloc(count, sizeof *payload);
  void **outs = calloc(count, sizeof *outs);
  int result = payload == NULL || outs == NULL ? FUTHARK_OUT_OF_MEMORY : 0;
  for (int i = 0; i < variant->num_payload && result == 0; i++) {
    outs[i] = &payload[i];
  }
  result = result == 0 ? variant->destruct(ctx, outs, fe_slot_object(slot)) : result;
  if (result == 0) {
    uint8_t byte = (uint8_t)number;
    struct fe_value value = {.prim = &fe_prim_u8, .data = (void *)&byte};
    result = fe_value_write(file, binary, lines, &value);
    for (int i = 0; i < variant->num_payload; i++) {
      if (result == 0) {
        result = fe_slot_write(ctx, file, binary, lines, variant->payload[i], &payload[i]);
      }
      fe_slot_free(ctx, variant->payload[i], &payload[i]);
    }
  }
  free(payload);
  free(outs);
  return result;
}

// Writes a value as its parts, each on its own line if there are to be `lines`: 0, an error code of the context, or -1
// if the file did not take it.
static int fe_slot_write(struct futhark_context *ctx, FILE *file, bool binary, bool lines, const struct fe_type *type,
                         union fe_slot *slot) {
  int result = 0;
  if (type->kind != FE_OPAQUE) {
    struct fe_value value;
    result = fe_value_from_slot(ctx, type, slot, &value);
    if (result == 0) {
      result = fe_value_write(file, binary, lines, &value);
      fe_value_free(&value);
    }
    return result;
  }
  if (type->sum != NULL) {
    return fe_sum_write(ctx, file, binary, lines, type->sum, slot);
  }
  int parts = fe_num_parts(type);
  for (int i = 0; i < parts && result == 0; i++) {
    const struct fe_field *field = &fe_parts(type)[i];
    union fe_slot part;
    memset(&part, 0, sizeof part);
    result = field->project(ctx, &part, fe_slot_object(slot));
    if (result == 0) {
      result = fe_slot_write(ctx, file, binary, lines, field->type, &part);
      fe_slot_free(ctx, field->type, &part);
    }
  }
  return result;
}

// ---- Data from outside ----

// An argument: data from which objects can be made, one for each run, since a run may consume it.
struct fe_argument {
  const struct fe_type *type;
  struct fe_value value; // if it has no parts, or the number of a sum's variant
  int num_parts;
  struct fe_argument *parts;
};

static void fe_argument_free(struct fe_argument *argument) {
  fe_value_free(&argument->value);
  for (int i = 0; i < argument->num_parts; i++) {
    fe_argument_free(&argument->parts[i]);
  }
  free(argument->parts);
  memset(argument, 0, sizeof *argument);
}

// The number of the variant of a sum.
static int fe_argument_variant(const struct fe_argument *argument) {
  return *(const uint8_t *)argument->value.data;
}

// Reads an argument. What was read is in `argument` even if this fails.
static int fe_argument_read(struct fe_input *in, const struct fe_type *type, struct fe_argument *argument) {
  memset(argument, 0, sizeof *argument);
  argument->type = type;
  if (type->kind != FE_OPAQUE) {
    return fe_value_read(in, type->prim, type->rank, &argument->value);
  }
  int parts = fe_num_parts(type);
  if (type->sum != NULL) {
    fe_input_peek(in);
    struct fe_place place = fe_input_place(in);
    if (fe_value_read(in, &fe_prim_u8, 0, &argument->value) != 0) {
      return 1;
    }
    int number = fe_argument_variant(argument);
    if (number >= type->sum->num_variants) {
      return fe_input_fail(in, place, "a value of type %s has no constructor %d; the constructors are numbered from 0 to %d", type->name, number,
                           type->sum->num_variants - 1);
    }
    parts = type->sum->variants[number].num_payload;
  }
  argument->parts = calloc((size_t)parts + 1, sizeof *argument->parts);
  if (argument->parts == NULL) {
    return fe_input_no_memory(in);
  }
  argument->num_parts = parts;
  for (int i = 0; i < parts; i++) {
    const struct fe_type *part = type->sum != NULL
                                     ? type->sum->variants[fe_argument_variant(argument)].payload[i]
                                     : fe_parts(type)[i].type;
    if (fe_argument_read(in, part, &argument->parts[i]) != 0) {
      return 1;
    }
  }
  return 0;
}

// Makes an object of an argument.
static int fe_argument_make(struct futhark_context *ctx, const struct fe_argument *argument, union fe_slot *slot) {
  if (argument->type->kind != FE_OPAQUE) {
    return fe_slot_from_value(ctx, argument->type, &argument->value, slot);
  }
  union fe_slot *parts = calloc((size_t)argument->num_parts + 1, sizeof *parts);
  if (parts == NULL) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  int result = 0;
  for (int i = 0; i < argument->num_parts && result == 0; i++) {
    result = fe_argument_make(ctx, &argument->parts[i], &parts[i]);
  }
  if (result == 0 && argument->type->sum != NULL) {
    const void **payload = calloc((size_t)argument->num_parts + 1, sizeof *payload);
    for (int i = 0; i < argument->num_parts && payload != NULL; i++) {
      payload[i] = &parts[i];
    }
    const struct fe_variant *variant = &argument->type->sum->variants[fe_argument_variant(argument)];
    memset(slot, 0, sizeof *slot);
    result = payload == NULL ? FUTHARK_OUT_OF_MEMORY : variant->construct(ctx, &slot->pointer, payload);
    free(payload);
  } else if (result == 0) {
    result = fe_make(ctx, argument->type, slot, parts);
  }
  for (int i = 0; i < argument->num_parts; i++) {
    fe_slot_free(ctx, argument->parts[i].type, &parts[i]);
  }
  free(parts);
  return result;
}

// ---- Time ----

static int64_t fe_microseconds(void) {
  struct timespec now;
#if defined(CLOCK_MONOTONIC)
  clock_gettime(CLOCK_MONOTONIC, &now);
#else
  timespec_get(&now, TIME_UTC);
#endif
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// The message of the context, for a failed operation that gave this code. Always to be freed, never NULL unless
// there is no memory.
static char *fe_error_text(struct futhark_context *ctx, int code) {
  char *text = futhark_context_get_error(ctx);
  if (text == NULL) {
    const char *reason = code == FUTHARK_OUT_OF_MEMORY ? "Error: there is not enough memory" : "Error: the operation failed";
    text = malloc(strlen(reason) + 1);
    if (text != NULL) {
      strcpy(text, reason);
    }
  }
  // A line break at the end is the printer's affair.
  for (size_t length = text == NULL ? 0 : strlen(text); length > 0 && text[length - 1] == '\n';) {
    text[--length] = 0;
  }
  return text;
}
