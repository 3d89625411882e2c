// `main` of an executable: reads the arguments of an entry point, runs it, and writes its result.
//
// Compound values (tuples, records, arrays of them) are written as their parts, one after the other, and values of sum
// types as the number of the constructor followed by its payload; other opaque values have no representation outside
// the program.

// A call of an entry point, with all that belongs to it.
struct fe_call {
  const struct fe_settings *settings;
  struct futhark_context *ctx;
  const struct fe_entry *entry;
  struct fe_argument *arguments;
  union fe_slot *slots;   // of the arguments
  const void **pointers;  // to the slots
  union fe_slot result;
  FILE *runtime_file;
  int64_t time; // of the last run, in microseconds
};

static enum fe_next fe_report_failure(const struct fe_call *call, int code) {
  char *text = fe_error_text(call->ctx, code);
  fe_wrong(call->settings, "%s", text == NULL ? "Error: there is not enough memory" : text);
  free(text);
  return FE_EXIT_FAILURE;
}

static enum fe_next fe_read_arguments(struct fe_call *call) {
  const struct fe_entry *entry = call->entry;
  struct fe_input in;
  int failed = fe_input_init(&in, stdin);
  for (int i = 0; i < entry->num_inputs && failed == 0; i++) {
    failed = fe_argument_read(&in, entry->inputs[i], &call->arguments[i]);
    if (failed != 0) {
      fe_wrong(call->settings, "Error: standard input, argument \"%s\" (%d of %d) of \"%s\": %s", entry->input_names[i],
               i + 1, entry->num_inputs, entry->name, in.message);
    }
  }
  if (failed == 0 && fe_input_peek(&in) != -1) {
    struct fe_place place = fe_input_place(&in);
    fe_wrong(call->settings, "Error: standard input: %llu:%llu: there is more input after the last argument of \"%s\"",
             (unsigned long long)place.line, (unsigned long long)place.column, entry->name);
    failed = 1;
  } else if (failed == 0 && in.error != 0) {
    fe_wrong(call->settings, "Error: cannot read standard input: %s", strerror(in.error));
    failed = 1;
  }
  fe_input_free(&in);
  return failed == 0 ? FE_GO_ON : FE_EXIT_FAILURE;
}

// Runs the entry point once. `last`: the arguments will not be needed again.
static enum fe_next fe_run_once(struct fe_call *call, bool timed, bool last) {
  const struct fe_entry *entry = call->entry;
  int code = 0;
  for (int i = 0; i < entry->num_inputs && code == 0; i++) {
    code = fe_argument_make(call->ctx, &call->arguments[i], &call->slots[i]);
    if (last) {
      fe_argument_free(&call->arguments[i]);
    }
  }
  int64_t time = 0;
  if (code == 0) {
    fe_slot_free(call->ctx, entry->output, &call->result);
    time = fe_microseconds();
    code = entry->call(call->ctx, &call->result, call->pointers);
    code = code == 0 ? futhark_context_sync(call->ctx) : code;
    time = fe_microseconds() - time;
  }
  call->time = time;
  enum fe_next next = code == 0 ? FE_GO_ON : fe_report_failure(call, code);
  for (int i = 0; i < entry->num_inputs; i++) {
    fe_slot_free(call->ctx, entry->inputs[i], &call->slots[i]);
  }
  if (next == FE_GO_ON && timed && call->runtime_file != NULL) {
    fprintf(call->runtime_file, "%lld\n", (long long)time);
  }
  return next;
}

static enum fe_next fe_run(struct fe_call *call) {
  const struct fe_settings *settings = call->settings;
  if (settings->runtime_file != NULL) {
    call->runtime_file = fopen(settings->runtime_file, "w");
    if (call->runtime_file == NULL) {
      return fe_wrong(settings, "cannot open \"%s\": %s", settings->runtime_file, strerror(errno));
    }
  }
  enum fe_next next = fe_read_arguments(call);
  if (settings->runs > 0 && next == FE_GO_ON) {
    next = fe_run_once(call, false, false);
  }
  long runs = settings->runs > 0 ? settings->runs : 1;
  for (long i = 1; i <= runs && next == FE_GO_ON; i++) {
    next = fe_run_once(call, true, i == runs);
  }
  bool lost = call->runtime_file != NULL && ferror(call->runtime_file);
  if (call->runtime_file != NULL && (fclose(call->runtime_file) != 0 || lost) && next == FE_GO_ON) {
    next = fe_wrong(settings, "cannot write \"%s\": %s", settings->runtime_file, strerror(errno));
  }
  if (next != FE_GO_ON || settings->no_print) {
    return next;
  }
  int code = fe_slot_write(call->ctx, stdout, settings->binary, true, call->entry->output, &call->result);
  if (code > 0) {
    return fe_report_failure(call, code);
  }
  return code < 0 ? fe_wrong(settings, "cannot write to standard output: %s", strerror(errno)) : FE_GO_ON;
}

// The entry point to run; NULL if there is none that can be run from here, which has been said.
static const struct fe_entry *fe_find_entry(const struct fe_settings *settings) {
  const struct fe_entry *entry = NULL;
  for (int i = 0; i < fe_program.num_entries; i++) {
    if (strcmp(fe_program.entries[i].name, settings->entry) == 0) {
      entry = &fe_program.entries[i];
    }
  }
  if (entry == NULL) {
    fe_wrong(settings, "there is no entry point \"%s\"; choose one with --entry-point:", settings->entry);
    for (int i = 0; i < fe_program.num_entries; i++) {
      fprintf(stderr, "%s\n", fe_program.entries[i].name);
    }
    return NULL;
  }
  for (int i = 0; i < entry->num_inputs; i++) {
    if (!fe_has_values(entry->inputs[i])) {
      fe_wrong(settings, "the argument \"%s\" of \"%s\" has type %s, whose values cannot be read", entry->input_names[i],
               entry->name, entry->inputs[i]->name);
      return NULL;
    }
  }
  if (!settings->no_print && !fe_has_values(entry->output)) {
    fe_wrong(settings, "the result of \"%s\" has type %s, whose values cannot be written; use --no-print-result",
             entry->name, entry->output->name);
    return NULL;
  }
  return entry;
}

// What the last run took. The context's own report has the memory: of processors the default space, of others the device.
static void fe_tell_cost(const struct fe_call *call) {
  static const char key[] = "{\"memory\":{\"";
  char *report = futhark_context_report(call->ctx);
  const char *space = report == NULL ? NULL : strstr(report, key);
  const char *end = space == NULL ? NULL : strchr(space + sizeof key - 1, '"');
  fprintf(stderr, "time: %lld microseconds\n", (long long)call->time);
  if (end != NULL) {
    space += sizeof key - 1;
    long long bytes = strtoll(end + sizeof "\":" - 1, NULL, 10);
    fprintf(stderr, "peak memory: %lld bytes (%.1f MiB), %.*s\n", bytes, (double)bytes / (1 << 20), (int)(end - space),
            space);
  }
  free(report);
}

static enum fe_next fe_execute(const struct fe_settings *settings) {
  const struct fe_entry *entry = fe_find_entry(settings);
  struct futhark_context *ctx = entry == NULL ? NULL : fe_start(settings);
  if (ctx == NULL) {
    return FE_EXIT_FAILURE;
  }
  if (fe_is_streamed(settings, entry)) {
    enum fe_next next = fe_execute_stream(settings, ctx, entry);
    futhark_context_free(ctx);
    return next;
  }
  if (settings->num_ins + settings->num_outs > 0 || settings->memory_limit > 0 || settings->chunk > 0) {
    futhark_context_free(ctx);
    return fe_wrong(settings, "\"%s\" is not executed chunk by chunk, so that --in, --out, --memory-limit and --chunk mean nothing for it",
                    settings->entry);
  }
  struct fe_call call = {settings, ctx, entry, NULL, NULL, NULL, {{0}}, NULL, 0};
  size_t count = (size_t)entry->num_inputs + 1;
  call.arguments = calloc(count, sizeof *call.arguments);
  call.slots = calloc(count, sizeof *call.slots);
  call.pointers = calloc(count, sizeof *call.pointers);
  enum fe_next next;
  if (call.arguments == NULL || call.slots == NULL || call.pointers == NULL) {
    next = fe_wrong(settings, "there is not enough memory");
  } else {
    for (int i = 0; i < entry->num_inputs; i++) {
      call.pointers[i] = &call.slots[i];
    }
    next = fe_run(&call);
    for (int i = 0; i < entry->num_inputs; i++) {
      fe_argument_free(&call.arguments[i]);
    }
    fe_slot_free(ctx, entry->output, &call.result);
  }
  if (settings->report && next == FE_GO_ON) {
    fe_tell_cost(&call);
  }
  if (settings->profile) {
    char *report = futhark_context_report(ctx);
    if (report != NULL) {
      fprintf(stderr, "%s\n", report);
    }
    free(report);
  }
  free(call.arguments);
  free(call.slots);
  free(call.pointers);
  futhark_context_free(ctx);
  return next;
}

int main(int argc, char **argv) {
  fe_hold_streams();
  struct fe_settings settings;
  memset(&settings, 0, sizeof settings);
  settings.program = argc > 0 ? argv[0] : "program";
  settings.executable = true;
  settings.entry = "main";
  settings.cfg = futhark_context_config_new();
  if (settings.cfg == NULL) {
    fe_wrong(&settings, "there is not enough memory");
    return 1;
  }
  enum fe_next next = fe_parse_options(&settings, argc, argv);
  if (next == FE_GO_ON) {
    next = fe_execute(&settings);
  }
  futhark_context_config_free(settings.cfg);
  free(settings.ins);
  free(settings.outs);
  if ((fflush(stdout) != 0 || ferror(stdout)) && next != FE_EXIT_FAILURE) {
    next = fe_wrong(&settings, "cannot write to standard output: %s", strerror(errno));
  }
  return next == FE_EXIT_FAILURE ? 1 : 0;
}
