// Commands about the program, entry points, and variables as a whole.

static int fe_cmd_types(struct fe_server *server) {
  (void)server;
  for (int i = 0; i < FE_NUM_PRIMS; i++) {
    puts(fe_prim_types[i].name);
  }
  for (int i = 0; i < fe_program.num_types; i++) {
    if (fe_program.types[i]->kind != FE_PRIM) {
      puts(fe_program.types[i]->name);
    }
  }
  return 0;
}

static int fe_cmd_entry_points(struct fe_server *server) {
  (void)server;
  for (int i = 0; i < fe_program.num_entries; i++) {
    puts(fe_program.entries[i].name);
  }
  return 0;
}

static int fe_cmd_inputs(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[1]);
  for (int i = 0; entry != NULL && i < entry->num_inputs; i++) {
    printf("%s%s\n", entry->consumed[i] ? "*" : "", entry->inputs[i]->name);
  }
  return entry == NULL;
}

static int fe_cmd_output(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[1]);
  if (entry != NULL) {
    printf("%s%s\n", entry->fresh ? "*" : "", entry->output->name);
  }
  return entry == NULL;
}

// Whether older clients see several results: the type is a tuple that has no name of its own.
static bool fe_is_tuple(const struct fe_type *type) {
  return type->name[0] == '(' && fe_num_parts(type) >= 0;
}

// The form of "output" before version 0.26 of the protocol.
static int fe_cmd_outputs(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[1]);
  if (entry == NULL || !fe_is_tuple(entry->output)) {
    return entry == NULL || fe_cmd_output(server);
  }
  for (int i = 0; i < fe_num_parts(entry->output); i++) {
    printf("%s%s\n", entry->fresh ? "*" : "", fe_parts(entry->output)[i].type->name);
  }
  return 0;
}

// ---- Calls ----

static const struct fe_type *fe_field_type(const void *fields, int i) {
  return ((const struct fe_field *)fields)[i].type;
}

static const struct fe_type *fe_input_type(const void *entry, int i) {
  return ((const struct fe_entry *)entry)->inputs[i];
}

// Calls an entry point, which may have spoilt what it consumes even if it fails.
static int fe_perform(struct fe_server *server, const struct fe_entry *entry, char **names, const void **inputs,
                         union fe_slot *result) {
  int64_t time = fe_microseconds();
  int code = entry->call(server->ctx, result, inputs);
  code = code == 0 ? futhark_context_sync(server->ctx) : code;
  time = fe_microseconds() - time;
  for (int i = 0; i < entry->num_inputs; i++) {
    if (entry->consumed[i] && entry->inputs[i]->kind != FE_PRIM) {
      (*fe_var_link(server, names[i]))->consumed = true;
    }
  }
  if (code != 0) {
    return fe_context_failure(server, code);
  }
  printf("runtime: %lld\n", (long long)time);
  return 0;
}

// Puts the fields of a tuple into variables, and frees it.
static int fe_spread(struct fe_server *server, const struct fe_type *type, union fe_slot *tuple, char **names) {
  int code = 0;
  for (int i = 0; i < fe_num_parts(type) && code == 0; i++) {
    struct fe_var *var = *fe_var_link(server, names[i]);
    code = fe_parts(type)[i].project(server->ctx, &var->slot, fe_slot_object(tuple));
  }
  code = code == 0 ? futhark_context_sync(server->ctx) : code;
  fe_slot_free(server->ctx, type, tuple);
  return code == 0 ? 0 : fe_context_failure(server, code);
}

static int fe_check_consumption(const struct fe_entry *entry, char **names) {
  for (int i = 0; i < entry->num_inputs; i++) {
    for (int j = 0; entry->consumed[i] && entry->inputs[i]->kind != FE_PRIM && j < entry->num_inputs; j++) {
      if (i != j && strcmp(names[i], names[j]) == 0) {
        return fe_failure("the variable \"%s\" is consumed, so it cannot be passed twice", names[i]);
      }
    }
  }
  return 0;
}

static int fe_cmd_call(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[1]);
  if (entry == NULL) {
    return 1;
  }
  // Older clients give a variable for each field of a tuple.
  int given = server->num_words - 2 - entry->num_inputs;
  bool spread = given != 1 && fe_is_tuple(entry->output) && given == fe_num_parts(entry->output);
  if (given != 1 && !spread) {
    return fe_failure("\"%s\" takes %d input%s, so one result and that many variables are expected, but %d were given",
                      entry->name, entry->num_inputs, entry->num_inputs == 1 ? "" : "s", server->num_words - 2);
  }
  char **outputs = server->words + 2;
  char **names = outputs + given;
  const void **inputs = fe_typed_values(server, entry->num_inputs, names, fe_input_type, entry);
  if (inputs == NULL) {
    return 1;
  }
  int failed = fe_check_consumption(entry, names);
  if (failed == 0) {
    union fe_slot result;
    memset(&result, 0, sizeof result);
    failed = spread ? fe_add_vars(server, given, outputs, fe_field_type, fe_parts(entry->output))
                    : fe_add_var(server, outputs[0], entry->output) == NULL;
    if (failed == 0) {
      failed = fe_perform(server, entry, names, inputs, &result);
      if (failed == 0 && spread) {
        failed = fe_spread(server, entry->output, &result, outputs);
      } else if (failed == 0) {
        (*fe_var_link(server, outputs[0]))->slot = result;
      }
      if (failed != 0) {
        fe_remove_vars(server, given, outputs);
      }
    }
  }
  free(inputs);
  return failed;
}

// ---- Variables ----

static int fe_cmd_free(struct fe_server *server) {
  for (int i = 1; i < server->num_words; i++) {
    if (fe_any_var(server, server->words[i]) == NULL) {
      return 1;
    }
  }
  int code = 0;
  for (int i = 1; i < server->num_words; i++) {
    // A variable may be named twice.
    if (*fe_var_link(server, server->words[i]) != NULL) {
      int failed = fe_remove_var(server, server->words[i]);
      code = code == 0 ? failed : code;
    }
  }
  return code == 0 ? 0 : fe_context_failure(server, code);
}

static int fe_cmd_rename(struct fe_server *server) {
  struct fe_var *old = fe_find_var(server, server->words[1]);
  struct fe_var *renamed = old == NULL ? NULL : fe_add_var(server, server->words[2], old->type);
  if (renamed == NULL) {
    return 1;
  }
  renamed->slot = old->slot;
  memset(&old->slot, 0, sizeof old->slot);
  fe_remove_var(server, old->name);
  return 0;
}

static int fe_cmd_type(struct fe_server *server) {
  struct fe_var *var = fe_find_var(server, server->words[1]);
  if (var != NULL) {
    puts(var->type->name);
  }
  return var == NULL;
}

static int fe_cmd_kind(struct fe_server *server) {
  const struct fe_type *type = fe_find_type(server->words[1]);
  if (type != NULL) {
    bool array = type->kind == FE_ARRAY || type->opaque_array != NULL;
    puts(type->kind == FE_PRIM    ? "primitive"
         : array                  ? "array"
         : type->record != NULL   ? "record"
         : type->sum != NULL      ? "sum"
                                  : "opaque");
  }
  return type == NULL;
}

// ---- The context ----

static int fe_cmd_clear(struct fe_server *server) {
  int code = futhark_context_clear_caches(server->ctx);
  return code == 0 ? 0 : fe_context_failure(server, code);
}

static int fe_cmd_pause_profiling(struct fe_server *server) {
  futhark_context_pause_profiling(server->ctx);
  return 0;
}

static int fe_cmd_unpause_profiling(struct fe_server *server) {
  futhark_context_unpause_profiling(server->ctx);
  return 0;
}

static int fe_cmd_report(struct fe_server *server) {
  char *report = futhark_context_report(server->ctx);
  if (report == NULL) {
    return fe_context_failure(server, FUTHARK_OUT_OF_MEMORY);
  }
  puts(report);
  free(report);
  return 0;
}

static int fe_find_param(const char *name) {
  for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
    if (strcmp(futhark_get_tuning_param_name(i), name) == 0) {
      return i;
    }
  }
  fe_failure("there is no tuning parameter \"%s\"", name);
  return -1;
}

static int fe_cmd_set_tuning_param(struct fe_server *server) {
  const char *name = server->words[1];
  long value;
  if (fe_find_param(name) < 0) {
    return 1;
  }
  if (!fe_parse_long(server->words[2], 0, &value)) {
    return fe_failure("the value of a tuning parameter must be a non-negative integer, but is `%s`", server->words[2]);
  }
  if (futhark_context_config_set_tuning_param(server->settings->cfg, name, (size_t)value) != 0) {
    return fe_failure("the tuning parameter \"%s\" cannot be set to %ld now", name, value);
  }
  return 0;
}

static int fe_cmd_tuning_params(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[1]);
  for (int i = 0; entry != NULL && i < entry->num_tuning_params; i++) {
    int param = entry->tuning_params[i];
    printf("%s %s\n", futhark_get_tuning_param_name(param), futhark_get_tuning_param_class(param));
  }
  return entry == NULL;
}

static int fe_cmd_tuning_param_class(struct fe_server *server) {
  int param = fe_find_param(server->words[1]);
  if (param >= 0) {
    puts(futhark_get_tuning_param_class(param));
  }
  return param < 0;
}

static int fe_cmd_attributes(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[1]);
  for (int i = 0; entry != NULL && i < entry->num_attributes; i++) {
    puts(entry->attributes[i]);
  }
  return entry == NULL;
}
