// `store` and `restore`: variables in files.
//
// Scalars and arrays are stored in the binary format, and restored from any format. Tuples and records of them, and
// arrays of those, are stored as their parts, which clients can read. The bytes of other opaque values are wrapped in
// an envelope, because the function that restores them trusts them:
//
//   "fehu-o1\n", length of the type's name, the name, number of bytes, the bytes, a checksum
//
// where numbers are little endian and 8 bytes long, and the checksum includes what is known about the type.

#include <sys/stat.h>
#include <sys/types.h>

static const char fe_envelope[8] = {'f', 'e', 'h', 'u', '-', 'o', '1', '\n'};

static uint64_t fe_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t fe_mix_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (; size >= 8; size -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    fe_little_endian(&word, 8, 1);
    hash = fe_mix(hash, word);
  }
  for (; size > 0; size--) {
    hash = fe_mix(hash, *at++);
  }
  return hash;
}

// What is known of a type, as a number.
static uint64_t fe_mix_type(uint64_t hash, const struct fe_type *type) {
  hash = fe_mix_bytes(hash, type->name, strlen(type->name) + 1);
  hash = fe_mix(hash, (uint64_t)type->kind * 256 + (uint64_t)type->rank);
  int parts = fe_num_parts(type);
  for (int i = 0; i < parts; i++) {
    const struct fe_field *field = &fe_parts(type)[i];
    hash = fe_mix_type(fe_mix_bytes(hash, field->name, strlen(field->name) + 1), field->type);
  }
  for (int i = 0; type->sum != NULL && i < type->sum->num_variants; i++) {
    const struct fe_variant *variant = &type->sum->variants[i];
    hash = fe_mix_bytes(hash, variant->name, strlen(variant->name) + 1);
    for (int j = 0; j < variant->num_payload; j++) {
      hash = fe_mix_type(hash, variant->payload[j]);
    }
  }
  return hash;
}

static int fe_write_u64(FILE *file, uint64_t number) {
  fe_little_endian(&number, 8, 1);
  return fwrite(&number, 8, 1, file) != 1;
}

static int fe_read_u64(struct fe_input *in, uint64_t *number) {
  int failed = fe_input_bytes(in, number, 8) != 8;
  fe_little_endian(number, 8, 1);
  return failed;
}

// ---- Storing ----

// Writes a value: 0, an error code of the context, or -1 if the file did not take it.
static int fe_store_var(struct fe_server *server, FILE *file, struct fe_var *var) {
  const struct fe_type *type = var->type;
  if (fe_has_text(type)) {
    return fe_slot_write(server->ctx, file, true, false, type, &var->slot);
  }
  void *bytes = NULL;
  size_t size = 0;
  int code = type->opaque_store(server->ctx, fe_slot_object(&var->slot), &bytes, &size);
  code = code == 0 ? futhark_context_sync(server->ctx) : code;
  if (code != 0) {
    free(bytes);
    return code;
  }
  size_t length = strlen(type->name);
  bool failed = fwrite(fe_envelope, 1, sizeof fe_envelope, file) != sizeof fe_envelope || fe_write_u64(file, length) ||
           fwrite(type->name, 1, length, file) != length || fe_write_u64(file, size) ||
           (size > 0 && fwrite(bytes, 1, size, file) != size) ||
           fe_write_u64(file, fe_mix_bytes(fe_mix_type(size, type), bytes, size));
  free(bytes);
  return failed ? -1 : 0;
}

// Opens a new file beside `name`, whose name is put into `temporary`; NULL if that is not possible.
static FILE *fe_open_beside(const char *name, char *temporary, size_t size) {
  for (int i = 0; i < 1000; i++) {
    snprintf(temporary, size, "%s.part%d", name, i);
    FILE *file = fopen(temporary, "wbx");
    if (file != NULL || errno != EEXIST) {
      return file;
    }
  }
  return NULL;
}

// A file appears under its name only when it is complete. What is no usual file (a pipe, a device), or stands in a
// directory where no file can be made, is written as it is. So is an empty file, which a client may have opened to read
// from it afterwards; it is empty again if that fails.
static int fe_cmd_store(struct fe_server *server) {
  const char *name = server->words[1];
  for (int i = 2; i < server->num_words; i++) {
    const struct fe_var *var = fe_find_var(server, server->words[i]);
    if (var == NULL) {
      return 1;
    }
    if (!fe_has_text(var->type) && var->type->opaque_store == NULL) {
      return fe_failure("values of type %s cannot be stored", var->type->name);
    }
  }
  size_t size = strlen(name) + 16;
  char *temporary = malloc(size);
  if (temporary == NULL) {
    return fe_no_memory();
  }
  struct stat status;
  bool exists = lstat(name, &status) == 0;
  bool empty = exists && S_ISREG(status.st_mode) && status.st_size == 0;
  FILE *file = empty || (exists && !S_ISREG(status.st_mode)) ? NULL : fe_open_beside(name, temporary, size);
  bool beside = file != NULL;
  if (file == NULL) {
    file = fopen(name, "wb");
  }
  if (file == NULL) {
    free(temporary);
    return fe_failure("cannot open \"%s\": %s", name, strerror(errno));
  }
  int code = 0;
  errno = 0;
  for (int i = 2; i < server->num_words && code == 0; i++) {
    code = fe_store_var(server, file, *fe_var_link(server, server->words[i]));
  }
  int problem = errno;
  if (fclose(file) != 0 && code == 0) {
    problem = errno;
    code = -1;
  }
  if (code == 0 && beside) {
    if (exists) {
      // A new file instead of the old one, with its rights; if that fails they are the usual ones.
      (void)chmod(temporary, status.st_mode & 0777);
    }
    if (rename(temporary, name) != 0) {
      problem = errno;
      code = -1;
    }
  }
  if (code != 0 && beside) {
    remove(temporary);
  } else if (code != 0 && empty && (file = fopen(name, "wb")) != NULL) {
    fclose(file);
  }
  free(temporary);
  if (code == 0) {
    return 0;
  }
  return code > 0 ? fe_context_failure(server, code)
                  : fe_failure("cannot write \"%s\": %s", name, strerror(problem != 0 ? problem : EIO));
}

// ---- Restoring ----

static int fe_restore_opaque(struct fe_server *server, struct fe_input *in, struct fe_var *var) {
  const struct fe_type *type = var->type;
  uint64_t start = fe_input_offset(in);
  if (type->opaque_restore == NULL) {
    return fe_binary_fail(in, start, "values of type %s cannot be restored", type->name);
  }
  char magic[sizeof fe_envelope];
  uint64_t length = 0, size = 0, checksum = 0;
  if (fe_input_bytes(in, magic, sizeof magic) != sizeof magic || memcmp(magic, fe_envelope, sizeof magic) != 0) {
    return fe_binary_fail(in, start, "expected a stored value of the opaque type %s", type->name);
  }
  size_t expected = strlen(type->name);
  char *name = malloc(expected + 1);
  if (name == NULL) {
    return fe_input_no_memory(in);
  }
  bool same = fe_read_u64(in, &length) == 0 && length == expected && fe_input_bytes(in, name, expected) == expected &&
              memcmp(name, type->name, expected) == 0;
  free(name);
  if (!same) {
    return fe_binary_fail(in, start, "this is a stored value of a type other than %s", type->name);
  }
  // The bytes are read as an array of them would be.
  int64_t shape = 0;
  struct fe_value value = {&fe_prim_u8, 1, &shape, NULL};
  int failed = 0;
  if (fe_read_u64(in, &size) != 0 || size > INT64_MAX) {
    return fe_binary_fail(in, start, "the stored value of type %s is incomplete", type->name);
  }
  shape = (int64_t)size;
  failed = fe_binary_elements(in, &value);
  unsigned char *bytes = value.data;
  if (failed != 0 || fe_read_u64(in, &checksum) != 0) {
    failed = fe_binary_fail(in, start, "the stored value of type %s is incomplete", type->name);
  } else if (checksum != fe_mix_bytes(fe_mix_type(size, type), bytes, (size_t)size)) {
    failed = fe_binary_fail(in, start, "the stored value of type %s was damaged, or stored by another program", type->name);
  } else {
    var->slot.pointer = type->opaque_restore(server->ctx, bytes);
    if (var->slot.pointer == NULL || futhark_context_sync(server->ctx) != 0) {
      char *text = fe_error_text(server->ctx, 0);
      failed = fe_binary_fail(in, start, "the stored value of type %s cannot be restored: %s", type->name,
                              text == NULL ? "" : text);
      free(text);
    }
  }
  free(bytes);
  return failed;
}

static int fe_restore_var(struct fe_server *server, struct fe_input *in, struct fe_var *var) {
  if (!fe_has_text(var->type)) {
    if (fe_input_peek(in) == -1) {
      return fe_input_fail(in, fe_input_place(in), "the input ends where a value of type %s is missing", var->type->name);
    }
    return fe_restore_opaque(server, in, var);
  }
  struct fe_argument argument;
  if (fe_argument_read(in, var->type, &argument) != 0) {
    fe_argument_free(&argument);
    return 1;
  }
  int code = fe_argument_make(server->ctx, &argument, &var->slot);
  fe_argument_free(&argument);
  if (code != 0) {
    char *text = fe_error_text(server->ctx, code);
    fe_message(in->message, "%s", text == NULL ? "there is not enough memory" : text);
    free(text);
  }
  return code;
}

static const struct fe_type *fe_restored_type(const void *types, int i) {
  return ((const struct fe_type *const *)types)[i];
}

// Either all variables are there afterwards, or none.
static int fe_restore_vars(struct fe_server *server, FILE *file, int count, char **names) {
  struct fe_input in;
  if (fe_input_init(&in, file) != 0) {
    return fe_no_memory();
  }
  int failed = 0;
  for (int i = 0; i < count && failed == 0; i++) {
    failed = fe_restore_var(server, &in, *fe_var_link(server, names[i]));
    if (failed != 0) {
      fe_failure("cannot restore \"%s\" from \"%s\": %s", names[i], server->words[1], in.message);
    }
  }
  if (failed == 0 && (fe_input_peek(&in) != -1 || in.error != 0)) {
    struct fe_place place = fe_input_place(&in);
    failed = in.error != 0 ? fe_failure("cannot read \"%s\": %s", server->words[1], strerror(in.error))
                           : fe_failure("\"%s\": %llu:%llu: there is more after the last of %d value%s", server->words[1],
                                        (unsigned long long)place.line, (unsigned long long)place.column, count,
                                        count == 1 ? "" : "s");
  }
  fe_input_free(&in);
  return failed;
}

static int fe_cmd_restore(struct fe_server *server) {
  int count = (server->num_words - 2) / 2;
  if (server->num_words % 2 != 0) {
    return fe_failure("\"restore\" needs a type for each variable: restore FILE VARIABLE TYPE ...");
  }
  char **names = malloc(sizeof(char *) * (size_t)(count + 1));
  const struct fe_type **types = malloc(sizeof *types * (size_t)(count + 1));
  int failed = names == NULL || types == NULL ? fe_no_memory() : 0;
  for (int i = 0; i < count && failed == 0; i++) {
    names[i] = server->words[2 + 2 * i];
    types[i] = fe_find_type(server->words[3 + 2 * i]);
    failed = types[i] == NULL;
  }
  if (failed == 0) {
    failed = fe_add_vars(server, count, names, fe_restored_type, types);
    if (failed == 0) {
      FILE *file = fopen(server->words[1], "rb");
      failed = file == NULL ? fe_failure("cannot open \"%s\": %s", server->words[1], strerror(errno))
                            : fe_restore_vars(server, file, count, names);
      if (file != NULL) {
        fclose(file);
      }
      if (failed != 0) {
        fe_remove_vars(server, count, names);
      }
    }
  }
  free(names);
  free(types);
  return failed;
}
