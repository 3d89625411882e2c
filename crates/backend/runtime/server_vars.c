// The state of a server: its variables, the failure messages of its commands, and types by name.

// A variable. While a command makes it, its value may be missing.
struct fe_var {
  struct fe_var *next; // in the same bucket
  const struct fe_type *type;
  union fe_slot slot;
  bool consumed; // may only be freed
  char name[];
};

struct fe_stream;

struct fe_server {
  const struct fe_settings *settings;
  struct futhark_context *ctx;
  struct fe_var **buckets; // a hash table
  size_t num_buckets;      // a power of two
  size_t num_vars;
  struct fe_stream *streams;
  char **words; // of the command; the first is its name
  int num_words, words_capacity;
};

static int fe_failure(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

// Says that the command failed, and why; always 1. A command that fails calls this once.
static int fe_failure(const char *format, ...) {
  printf("%%%%%% FAILURE\n");
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  return 1;
}

static int fe_no_memory(void) {
  return fe_failure("there is not enough memory");
}

// The failure of an operation of the context.
static int fe_context_failure(struct fe_server *server, int code) {
  char *text = fe_error_text(server->ctx, code);
  int result = text == NULL ? fe_no_memory() : fe_failure("%s", text);
  free(text);
  return result;
}

// ---- Types ----

static const struct fe_type fe_prim_types[FE_NUM_PRIMS] = {
#define FE_PRIM_TYPE(T, SIZE) {.name = #T, .kind = FE_PRIM, .prim = &fe_prim_##T, .size = SIZE}
    FE_PRIM_TYPE(i8, 1),  FE_PRIM_TYPE(i16, 2), FE_PRIM_TYPE(i32, 4), FE_PRIM_TYPE(i64, 8),
    FE_PRIM_TYPE(u8, 1),  FE_PRIM_TYPE(u16, 2), FE_PRIM_TYPE(u32, 4), FE_PRIM_TYPE(u64, 8),
    FE_PRIM_TYPE(f16, 2), FE_PRIM_TYPE(f32, 4), FE_PRIM_TYPE(f64, 8),
    {.name = "bool", .kind = FE_PRIM, .prim = &fe_prim_bool, .size = 1},
#undef FE_PRIM_TYPE
};

static const struct fe_type *fe_scalar_type(const struct fe_prim *prim) {
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    if (fe_prim_types[i].prim == prim) {
      return &fe_prim_types[i];
    }
  }
  return NULL;
}

// Types have names of their own, and tables may describe one twice.
static bool fe_same_type(const struct fe_type *a, const struct fe_type *b) {
  return a == b || strcmp(a->name, b->name) == 0;
}

// The type of a name; NULL if there is none, which has been said.
static const struct fe_type *fe_find_type(const char *name) {
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    if (strcmp(fe_prim_types[i].name, name) == 0) {
      return &fe_prim_types[i];
    }
  }
  for (int i = 0; i < fe_program.num_types; i++) {
    if (strcmp(fe_program.types[i]->name, name) == 0) {
      return fe_program.types[i];
    }
  }
  fe_failure("there is no type \"%s\"", name);
  return NULL;
}

static const struct fe_entry *fe_find_entry(const char *name) {
  for (int i = 0; i < fe_program.num_entries; i++) {
    if (strcmp(fe_program.entries[i].name, name) == 0) {
      return &fe_program.entries[i];
    }
  }
  fe_failure("there is no entry point \"%s\"", name);
  return NULL;
}

// ---- Variables ----

static size_t fe_hash(const char *name) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *name != 0; name++) {
    hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
  }
  return (size_t)(hash ^ hash >> 32);
}

// Where the variable of a name hangs, or would hang.
static struct fe_var **fe_var_link(struct fe_server *server, const char *name) {
  struct fe_var **link = &server->buckets[fe_hash(name) & (server->num_buckets - 1)];
  while (*link != NULL && strcmp((*link)->name, name) != 0) {
    link = &(*link)->next;
  }
  return link;
}

// The variable of a name, which may be consumed; NULL if there is none, which has been said.
static struct fe_var *fe_any_var(struct fe_server *server, const char *name) {
  struct fe_var *var = *fe_var_link(server, name);
  if (var == NULL) {
    fe_failure("there is no variable \"%s\"", name);
  }
  return var;
}

// The variable of a name, whose value can be used; NULL if there is none, which has been said.
static struct fe_var *fe_find_var(struct fe_server *server, const char *name) {
  struct fe_var *var = fe_any_var(server, name);
  if (var != NULL && var->consumed) {
    fe_failure("the variable \"%s\" was consumed by a call, and can only be freed", name);
    return NULL;
  }
  return var;
}

// Likewise, of a type.
static struct fe_var *fe_find_typed(struct fe_server *server, const char *name, const struct fe_type *type) {
  struct fe_var *var = fe_find_var(server, name);
  if (var != NULL && !fe_same_type(var->type, type)) {
    fe_failure("the variable \"%s\" has type %s, but %s is expected", name, var->type->name, type->name);
    return NULL;
  }
  return var;
}

// Doubles the number of buckets. If there is no memory, then the lists just get longer.
static void fe_grow_buckets(struct fe_server *server) {
  size_t count = server->num_buckets * 2;
  struct fe_var **buckets = calloc(count, sizeof *buckets);
  if (buckets == NULL) {
    return;
  }
  for (size_t i = 0; i < server->num_buckets; i++) {
    while (server->buckets[i] != NULL) {
      struct fe_var *var = server->buckets[i];
      server->buckets[i] = var->next;
      struct fe_var **bucket = &buckets[fe_hash(var->name) & (count - 1)];
      var->next = *bucket;
      *bucket = var;
    }
  }
  free(server->buckets);
  server->buckets = buckets;
  server->num_buckets = count;
}

// Adds a variable without a value; NULL if that is not possible, which has been said.
static struct fe_var *fe_add_var(struct fe_server *server, const char *name, const struct fe_type *type) {
  if (server->num_vars >= server->num_buckets) {
    fe_grow_buckets(server);
  }
  struct fe_var **link = fe_var_link(server, name);
  if (*link != NULL) {
    fe_failure("there is already a variable \"%s\"", name);
    return NULL;
  }
  size_t length = strlen(name) + 1;
  struct fe_var *var = calloc(1, sizeof *var + length);
  if (var == NULL) {
    fe_no_memory();
    return NULL;
  }
  memcpy(var->name, name, length);
  var->type = type;
  *link = var;
  server->num_vars++;
  return var;
}

// Removes a variable and frees its value.
static int fe_remove_var(struct fe_server *server, const char *name) {
  struct fe_var **link = fe_var_link(server, name);
  struct fe_var *var = *link;
  *link = var->next;
  int result = fe_slot_free(server->ctx, var->type, &var->slot);
  free(var);
  server->num_vars--;
  return result;
}

// Ends a command that has made a variable: removes it again if the operation failed.
static int fe_made_var(struct fe_server *server, struct fe_var *var, int code) {
  if (code == 0) {
    code = futhark_context_sync(server->ctx);
  }
  if (code == 0) {
    return 0;
  }
  fe_remove_var(server, var->name);
  return fe_context_failure(server, code);
}

// A list of pointers to the values of variables that have the given types; NULL if they have not, which has been
// said. To be freed.
static const void **fe_typed_values(struct fe_server *server, int count, char **names,
                                    const struct fe_type *(*type)(const void *, int), const void *of) {
  const void **pointers = malloc(sizeof(void *) * (size_t)(count + 1));
  if (pointers == NULL) {
    fe_no_memory();
    return NULL;
  }
  for (int i = 0; i < count; i++) {
    struct fe_var *var = fe_find_typed(server, names[i], type(of, i));
    if (var == NULL) {
      free(pointers);
      return NULL;
    }
    pointers[i] = &var->slot;
  }
  return pointers;
}

// Adds variables; their number is less than `count` if that failed, which has been said.
static int fe_add_vars(struct fe_server *server, int count, char **names,
                       const struct fe_type *(*type)(const void *, int), const void *of) {
  for (int i = 0; i < count; i++) {
    if (fe_add_var(server, names[i], type(of, i)) == NULL) {
      while (i-- > 0) {
        fe_remove_var(server, names[i]);
      }
      return 1;
    }
  }
  return 0;
}

static void fe_remove_vars(struct fe_server *server, int count, char **names) {
  for (int i = 0; i < count; i++) {
    fe_remove_var(server, names[i]);
  }
}

static void fe_remove_all(struct fe_server *server) {
  for (size_t i = 0; i < server->num_buckets; i++) {
    while (server->buckets[i] != NULL) {
      fe_remove_var(server, server->buckets[i]->name);
    }
  }
}
