// Entry points on sequences in an executable: where their arguments come from, and where their results go.
//
// `--in NAME=FILE` names the file of a sequence, several in order if it is repeated, and `--out NAME=FILE` the file of a result. The format
// is that of the name's end, or stands before the name: `npy:FILE`. Other arguments come from standard input, and other results go to
// standard output, as those of all entry points.

// Finds the format of a file, and goes past what says so.
static enum fe_format fe_file_format(const struct fe_sequence *sequence, const char **file) {
  static const char *const prefixes[] = {"raw:", "binary:", "npy:", "lines:"};
  for (int i = 0; i < 4; i++) {
    if (strncmp(*file, prefixes[i], strlen(prefixes[i])) == 0) {
      *file += strlen(prefixes[i]);
      return (enum fe_format)i;
    }
  }
  size_t length = strlen(*file);
  if (sequence->pieces) {
    const struct fe_column *column = &sequence->columns[1];
    bool text = sequence->num_columns == 2 && column->prim == &fe_prim_u8 && column->rank == 1;
    return text ? FE_LINES : FE_BINARY;
  }
  return length > 4 && strcmp(*file + length - 4, ".npy") == 0 ? FE_NPY : FE_RAW;
}

// Whether elements of this kind can be in a file of this format; NULL, or what is wrong.
static const char *fe_format_fits(const struct fe_sequence *sequence, enum fe_format format) {
  const struct fe_column *column = &sequence->columns[sequence->pieces ? 1 : 0];
  if (sequence->pieces) {
    if (format == FE_RAW || format == FE_NPY || sequence->num_columns != 2) {
      return "its elements differ in size, so it must be in the binary format, or lines";
    }
    if (format == FE_LINES && (column->prim != &fe_prim_u8 || column->rank != 1)) {
      return "only elements of type []u8 are lines";
    }
    return NULL;
  }
  if (format == FE_LINES) {
    return "only elements of type []u8 are lines";
  }
  return format == FE_RAW || sequence->num_columns == 1 ? NULL : "its elements have several parts, so it must be in the raw format";
}

static struct fe_choice *fe_choices(const struct fe_settings *settings, bool out, int *count) {
  *count = out ? settings->num_outs : settings->num_ins;
  return out ? settings->outs : settings->ins;
}

static bool fe_chosen(const struct fe_choice *choice, const struct fe_sequence *sequence) {
  return strlen(sequence->name) == choice->length && strncmp(sequence->name, choice->name, choice->length) == 0;
}

// The files of a source; false if something is wrong, which has been said.
static bool fe_choose_files(const struct fe_settings *settings, struct fe_source *source) {
  int count;
  struct fe_choice *choices = fe_choices(settings, false, &count);
  source->files = calloc((size_t)count + 1, sizeof *source->files);
  for (int i = 0; i < count && source->files != NULL; i++) {
    if (fe_chosen(&choices[i], source->sequence)) {
      const char *file = choices[i].file;
      source->format = fe_file_format(source->sequence, &file);
      source->files[source->num_files++] = file;
      choices[i].used = true;
      const char *wrong = fe_format_fits(source->sequence, source->format);
      if (wrong != NULL) {
        fe_wrong(settings, "the sequence \"%s\" cannot be read from \"%s\": %s", source->sequence->name, file, wrong);
        return false;
      }
    }
  }
  source->size = fe_source_size(source);
  return source->files != NULL;
}

static bool fe_choose_result(const struct fe_settings *settings, struct fe_result *result) {
  int count;
  struct fe_choice *choices = fe_choices(settings, true, &count);
  result->format = settings->binary ? FE_BINARY : FE_TEXT;
  if (settings->no_print) {
    result->format = FE_RAW;
    result->name = "/dev/null";
  }
  for (int i = 0; i < count; i++) {
    if (fe_chosen(&choices[i], result->sequence)) {
      const char *file = choices[i].file;
      result->format = fe_file_format(result->sequence, &file);
      result->name = file;
      choices[i].used = true;
      const char *wrong = fe_format_fits(result->sequence, result->format);
      if (wrong != NULL) {
        fe_wrong(settings, "the sequence \"%s\" cannot be written to \"%s\": %s", result->sequence->name, file, wrong);
        return false;
      }
    }
  }
  return true;
}

// All choices are about sequences that there are.
static bool fe_choices_fit(const struct fe_settings *settings, const struct fe_entry *entry) {
  for (int out = 0; out < 2; out++) {
    int count;
    const struct fe_choice *choices = fe_choices(settings, out == 1, &count);
    for (int i = 0; i < count; i++) {
      if (!choices[i].used) {
        fe_wrong(settings, "the option --%s %.*s=%s: \"%s\" has no %s \"%.*s\" that is a sequence", out == 1 ? "out" : "in",
                 (int)choices[i].length, choices[i].name, choices[i].file, entry->name, out == 1 ? "result" : "parameter",
                 (int)choices[i].length, choices[i].name);
        return false;
      }
    }
  }
  return true;
}

// ---- Arguments ----

static int fe_leaf_count(const struct fe_type *type) {
  int parts = fe_num_parts(type), count = 0;
  for (int i = 0; i < parts; i++) {
    count += fe_leaf_count(fe_parts(type)[i].type);
  }
  return type->kind == FE_OPAQUE ? count : 1;
}

static struct fe_value *fe_leaves(struct fe_argument *argument, struct fe_value *out) {
  if (argument->type->kind != FE_OPAQUE) {
    *out = argument->value;
    return out + 1;
  }
  for (int i = 0; i < argument->num_parts; i++) {
    out = fe_leaves(&argument->parts[i], out);
  }
  return out;
}

static bool fe_sizes_are(const struct fe_settings *settings, struct fe_run *run, const struct fe_column *column, int from,
                         const int64_t *sizes, const char *what) {
  int64_t wanted;
  int dim = fe_sizes_differ(&run->steps, column, from, sizes, &wanted);
  if (dim >= 0) {
    fe_wrong(settings, "Error: %s: dimension %d has size %lld where it should have size %lld", what, dim,
             (long long)sizes[dim - from], (long long)wanted);
  }
  return dim < 0;
}

// What an entry point on sequences is called with.
struct fe_stream_arguments {
  struct fe_input in;
  struct fe_argument *arguments;
  struct fe_value *values; // the parts of all parameters that were read
};

static const struct fe_sequence *fe_sequence_at(const struct fe_streaming *streaming, int part, int *number) {
  for (int i = 0; i < streaming->num_sources; i++) {
    const struct fe_sequence *sequence = &streaming->sources[i];
    if (part >= sequence->first && part < sequence->first + sequence->num_columns) {
      *number = i;
      return sequence;
    }
  }
  return NULL;
}

// Whether the parameters from this one on come from files.
static bool fe_rest_is_files(const struct fe_run *run, const struct fe_entry *entry, int input, int part) {
  for (; input < entry->num_inputs; input++) {
    int number;
    if (fe_sequence_at(run->steps.streaming, part, &number) == NULL || run->sources[number].num_files == 0) {
      return false;
    }
    part += fe_leaf_count(entry->inputs[input]);
  }
  return true;
}

static bool fe_read_stream_arguments(const struct fe_settings *settings, struct fe_run *run, const struct fe_entry *entry,
                                     struct fe_stream_arguments *all) {
  const struct fe_streaming *streaming = run->steps.streaming;
  bool streamed = false;
  if (fe_rest_is_files(run, entry, 0, 0)) {
    return true;
  }
  if (fe_input_init(&all->in, stdin) != 0) {
    fe_wrong(settings, "there is not enough memory");
    return false;
  }
  all->in.direct = true;
  int part = 0;
  for (int i = 0; i < entry->num_inputs; i++) {
    int number = -1, parts = fe_leaf_count(entry->inputs[i]);
    const struct fe_sequence *sequence = fe_sequence_at(streaming, part, &number);
    struct fe_source *source = sequence == NULL ? NULL : &run->sources[number];
    if (source != NULL && source->num_files > 0) {
      part += parts;
      continue;
    }
    if (source != NULL && sequence->num_columns == 1 && fe_rest_is_files(run, entry, i + 1, part + parts)
        && fe_input_peek(&all->in) == 'b') {
      source->in = &all->in;
      source->format = FE_BINARY;
      source->left = -1;
      streamed = true;
    } else if (fe_argument_read(&all->in, entry->inputs[i], &all->arguments[i]) != 0) {
      fe_wrong(settings, "Error: standard input, argument \"%s\" (%d of %d) of \"%s\": %s", entry->input_names[i], i + 1,
               entry->num_inputs, entry->name, all->in.message);
      return false;
    } else {
      fe_leaves(&all->arguments[i], all->values + part);
      if (source != NULL) {
        source->format = FE_MEMORY;
        source->values = all->values + sequence->first;
      }
    }
    part += parts;
  }
  if (!streamed && fe_input_peek(&all->in) != -1) {
    struct fe_place place = fe_input_place(&all->in);
    fe_wrong(settings, "Error: standard input: %llu:%llu: there is more input after the last argument of \"%s\"",
             (unsigned long long)place.line, (unsigned long long)place.column, entry->name);
    return false;
  }
  return true;
}

// Puts arguments into their slots, and finds out what sizes there are.
static bool fe_place_arguments(const struct fe_settings *settings, struct fe_run *run, struct fe_stream_arguments *all) {
  const struct fe_streaming *streaming = run->steps.streaming;
  for (int p = 0; p < streaming->num_params; p++) {
    int number;
    if (fe_sequence_at(streaming, p, &number) != NULL) {
      continue;
    }
    const struct fe_value *value = &all->values[p];
    const struct fe_column *column = &streaming->params[p];
    struct fe_held *slot = &run->steps.slots[streaming->param_slots[p]];
    if (column->rank == 0) {
      memcpy(slot->scalar.bytes, value->data, column->prim->size);
    } else {
      static const unsigned char nothing[8];
      if (!fe_sizes_are(settings, run, column, 0, value->shape, "an argument")) {
        return false;
      }
      if (fe_make_array(run->steps.ctx, &slot->mem, slot->shape, value->shape, column->rank, (int64_t)column->prim->size,
                        value->data == NULL ? nothing : value->data) != 0 || futhark_context_sync(run->steps.ctx) != 0) {
        char *text = fe_error_text(run->steps.ctx, FUTHARK_PROGRAM_ERROR);
        fe_wrong(settings, "%s", text == NULL ? "Error: there is not enough memory" : text);
        free(text);
        return false;
      }
    }
    slot->known = true;
  }
  return true;
}

// Opens a source, and finds out how large its elements are.
static bool fe_prepare_source(const struct fe_settings *settings, struct fe_run *run, struct fe_source *source) {
  const struct fe_sequence *sequence = source->sequence;
  bool memory = source->format == FE_MEMORY;
  if (!memory && !fe_source_open(source)) {
    fe_wrong(settings, "Error: %s", source->message);
    return false;
  }
  source->record = 0;
  for (int c = 0; c < sequence->num_columns; c++) {
    const struct fe_column *column = &sequence->columns[c];
    int64_t row[FE_PART_RANK];
    bool headed = source->left >= 0 && !memory;
    if (headed || memory) {
      const int64_t *sizes = memory ? source->values[c].shape + 1 : source->rows;
      if (!fe_sizes_are(settings, run, column, 1, sizes, sequence->name)) {
        return false;
      }
    }
    for (int d = 1; d < column->rank; d++) {
      row[d - 1] = fe_column_size(&run->steps, column, d);
      if (row[d - 1] < 0) {
        fe_wrong(settings, "Error: nothing says how large dimension %d of an element of \"%s\" is", d - 1, sequence->name);
        return false;
      }
    }
    if (memory && (!sequence->pieces || c > 1) && source->values[c].shape[0] != source->values[sequence->pieces ? 1 : 0].shape[0]) {
      fe_wrong(settings, "Error: the parts of \"%s\" have different lengths", sequence->name);
      return false;
    }
    int64_t count = fe_count(column->prim, column->rank - 1, row);
    source->widths[c] = (size_t)count * column->prim->size;
    source->record += source->widths[c];
    if (c == (sequence->pieces ? 1 : 0) && !memory) {
      memcpy(source->rows, row, sizeof row);
    }
  }
  if (source->record == 0 && !sequence->pieces && !memory && source->left < 0) {
    fe_wrong(settings, "Error: the elements of \"%s\" have no bytes, so that their number is not known", sequence->name);
    return false;
  }
  return true;
}

// A sequence that several passes read must be one that can be.
static bool fe_can_be_read(const struct fe_settings *settings, const struct fe_run *run) {
  for (int i = 0; i < run->steps.streaming->num_sources; i++) {
    if (run->steps.streaming->again[i] && !fe_source_can_rewind(&run->sources[i])) {
      fe_wrong(settings, "Error: %s", run->sources[i].message);
      return false;
    }
  }
  return true;
}

// ---- Results ----

static int fe_part_value(struct fe_run *run, const struct fe_column *column, struct fe_held *part, struct fe_value *value) {
  int64_t bytes = column->rank == 0 ? (int64_t)column->prim->size : fe_part_bytes(part, column);
  value->prim = column->prim;
  value->rank = column->rank;
  value->shape = part->shape;
  value->data = malloc((size_t)bytes + 1);
  if (value->data == NULL) {
    return fe_fail(run->steps.ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory for a result");
  }
  if (column->rank == 0) {
    memcpy(value->data, part->scalar.bytes, column->prim->size);
    return 0;
  }
  int code = fe_copy_out(run->steps.ctx, value->data, &part->mem, 0, bytes);
  return code != 0 ? code : futhark_context_sync(run->steps.ctx);
}

// Writes the results that are in memory, and completes the others.
static int fe_write_results(const struct fe_settings *settings, struct fe_run *run) {
  const struct fe_streaming *streaming = run->steps.streaming;
  int code = 0;
  for (int p = 0; p < streaming->num_parts && code == 0; p++) {
    struct fe_result *result = NULL;
    bool first = false;
    for (int i = 0; i < streaming->num_sinks; i++) {
      const struct fe_sequence *sequence = &streaming->sinks[i];
      if (p >= sequence->first && p < sequence->first + sequence->num_columns) {
        result = &run->results[i];
        first = p == sequence->first;
      }
    }
    if (streaming->part_slots[p] < 0) {
      if (first && result->name == NULL) {
        fe_result_print(result);
      }
      continue;
    }
    if (result != NULL && result->name != NULL) {
      if (first) {
        struct fe_value values[FE_MAX_COLUMNS];
        unsigned char *data[FE_MAX_COLUMNS];
        int done = 0;
        for (; done < result->sequence->num_columns && code == 0; done++) {
          struct fe_held *part = &run->steps.slots[streaming->part_slots[p + done]];
          code = fe_part_value(run, &streaming->parts[p + done], part, &values[done]);
          data[done] = values[done].data;
          memcpy(result->shapes[done], part->shape + 1, sizeof(int64_t) * (FE_PART_RANK - 1));
        }
        if (code == 0) {
          bool pieces = result->sequence->pieces;
          fe_result_write(result, data, values[0].shape[0], pieces ? values[1].shape[0] : 0);
        }
        for (int i = 0; i < done; i++) {
          free(values[i].data);
        }
      }
      continue;
    }
    if (settings->no_print) {
      continue;
    }
    struct fe_value value;
    code = fe_part_value(run, &streaming->parts[p], &run->steps.slots[streaming->part_slots[p]], &value);
    if (code == 0 && fe_value_write(stdout, settings->binary, true, &value) != 0) {
      code = fe_run_fail(run, "cannot write to standard output: %s", strerror(errno));
    }
    free(value.data);
  }
  return code;
}

enum { FE_OWN_MEMORY = 2 << 20 };

// Memory for the run, if the user does not say how much: a quarter of what is free.
static int64_t fe_free_memory(void) {
  // Pages of files that nobody needs are free, too, but only this tells.
  long long available = 0;
  FILE *file = fopen("/proc/meminfo", "r");
  char line[256];
  while (file != NULL && available == 0 && fgets(line, sizeof line, file) != NULL) {
    available = sscanf(line, "MemAvailable: %lld kB", &available) == 1 ? available : 0;
  }
  if (file != NULL) {
    fclose(file);
  }
  if (available > 0) {
    return (int64_t)available * 1024 / 4;
  }
#if defined(_SC_AVPHYS_PAGES) && defined(_SC_PAGESIZE)
  int64_t pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size / 4 : (int64_t)1 << 28;
#else
  return (int64_t)1 << 28;
#endif
}

static int fe_stream_all(const struct fe_settings *settings, struct fe_run *run, const struct fe_entry *entry,
                         struct fe_stream_arguments *all) {
  const struct fe_streaming *streaming = run->steps.streaming;
  for (int i = 0; i < streaming->num_sources; i++) {
    run->sources[i].sequence = &streaming->sources[i];
    run->sources[i].left = -1;
    memset(run->sources[i].rows, -1, sizeof run->sources[i].rows);
    if (!fe_choose_files(settings, &run->sources[i])) {
      return -1;
    }
  }
  for (int i = 0; i < streaming->num_sinks; i++) {
    run->results[i].sequence = &streaming->sinks[i];
    if (!fe_choose_result(settings, &run->results[i])) {
      return -1;
    }
  }
  if (!fe_choices_fit(settings, entry) || !fe_read_stream_arguments(settings, run, entry, all)
      || !fe_can_be_read(settings, run) || !fe_place_arguments(settings, run, all)) {
    return -1;
  }
  for (int i = 0; i < streaming->num_sources; i++) {
    if (!fe_prepare_source(settings, run, &run->sources[i])) {
      return -1;
    }
  }
  for (int i = 0; i < streaming->num_sinks; i++) {
    struct fe_result *result = &run->results[i];
    if (streaming->part_slots[result->sequence->first] >= 0 && result->name == NULL) {
      continue; // it is in memory
    }
    int error = fe_result_open(result, result->sequence->first == 0);
    if (error != 0) {
      fe_wrong(settings, "cannot open \"%s\": %s", result->name == NULL ? "a temporary file" : result->name, strerror(error));
      return -1;
    }
  }
  int code = fe_run_steps(run);
  code = code == 0 ? fe_write_results(settings, run) : code;
  for (int i = 0; i < streaming->num_sinks; i++) {
    fe_result_close(&run->results[i]);
  }
  return code;
}

// Whether an entry point can be executed chunk by chunk: all values that it takes and yields are known by their parts.
static bool fe_is_streamed(const struct fe_settings *settings, const struct fe_entry *entry) {
  const struct fe_streaming *streaming = entry->streaming;
  if (streaming == NULL || settings->runs > 0 || settings->runtime_file != NULL) {
    return false;
  }
  bool flat = fe_has_text(entry->output);
  for (int i = 0; i < entry->num_inputs; i++) {
    flat = flat && fe_has_text(entry->inputs[i]);
  }
  for (int i = 0; i < streaming->num_sources; i++) {
    flat = flat && streaming->sources[i].num_columns <= FE_MAX_COLUMNS;
  }
  for (int i = 0; i < streaming->num_sinks; i++) {
    flat = flat && streaming->sinks[i].num_columns <= FE_MAX_COLUMNS;
  }
  return flat && streaming->num_sources <= FE_MAX_COLUMNS;
}

static enum fe_next fe_execute_stream(const struct fe_settings *settings, struct futhark_context *ctx, const struct fe_entry *entry) {
  const struct fe_streaming *streaming = entry->streaming;
  struct fe_run *run = calloc(1, sizeof *run);
  struct fe_stream_arguments all;
  memset(&all, 0, sizeof all);
  all.arguments = calloc((size_t)entry->num_inputs + 1, sizeof *all.arguments);
  all.values = calloc((size_t)streaming->num_params + 1, sizeof *all.values);
  bool room = run != NULL && fe_steps_init(&run->steps, ctx, streaming) == 0;
  if (room) {
    run->steps.give = fe_hand_over;
    run->steps.state = run;
    run->sources = calloc((size_t)streaming->num_sources + 1, sizeof *run->sources);
    run->results = calloc((size_t)streaming->num_sinks + 1, sizeof *run->results);
  }
  if (!room || run->sources == NULL || run->results == NULL || all.arguments == NULL || all.values == NULL) {
    return fe_wrong(settings, "there is not enough memory");
  }
  run->bounded = settings->memory_limit > 0;
  // The program itself and the stacks of its threads are in memory, too.
  run->limit = !run->bounded ? fe_free_memory() : settings->memory_limit > 4 * FE_OWN_MEMORY ? settings->memory_limit - FE_OWN_MEMORY
                                                                                            : settings->memory_limit;
#ifdef M_MMAP_THRESHOLD
  if (run->bounded) {
    // Large blocks go back to the system as soon as they are free.
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    mallopt(M_TRIM_THRESHOLD, 1 << 16);
  }
#endif
  run->chunk = settings->chunk;
  run->report = settings->stream_report;
  run->progress = isatty(STDERR_FILENO) != 0;
  pthread_mutex_init(&run->lock, NULL);
  pthread_cond_init(&run->change, NULL);
  struct sigaction interrupt = {.sa_handler = fe_interrupt}, old;
  sigaction(SIGINT, &interrupt, &old);
#ifndef FE_GPU
  struct sigaction lost_pages = {.sa_handler = fe_pages_lost};
  sigaction(SIGBUS, &lost_pages, NULL);
#endif
  signal(SIGPIPE, SIG_IGN);
  int code = fe_stream_all(settings, run, entry, &all);
  enum fe_next next = code == 0 ? FE_GO_ON : FE_EXIT_FAILURE;
  const struct fe_result *lost = fe_lost_result(run);
  if (code > 0 && run->message[0] != 0) {
    fe_wrong(settings, "Error: %s", run->message);
  } else if (code > 0 && lost == NULL) {
    char *text = fe_error_text(ctx, code);
    fe_wrong(settings, "%s", text == NULL ? "Error: there is not enough memory" : text);
    free(text);
  }
  if (lost != NULL) {
    next = fe_wrong(settings, "Error: cannot write \"%s\" after %lld elements: %s",
                    lost->name == NULL ? "standard output" : lost->name, (long long)lost->count, strerror(lost->error));
  }
  if (fe_interrupted) {
    // Threads may wait for files that never come.
    fflush(stdout);
    _exit(1);
  }
  sigaction(SIGINT, &old, NULL);
  fe_steps_free(&run->steps);
  for (int i = 0; i < streaming->num_sources; i++) {
    fe_source_free(&run->sources[i]);
  }
  for (int i = 0; i < streaming->num_sinks; i++) {
    fe_result_free(&run->results[i]);
  }
  for (int i = 0; i < entry->num_inputs; i++) {
    fe_argument_free(&all.arguments[i]);
  }
  fe_input_free(&all.in);
  free(all.arguments);
  free(all.values);
  pthread_mutex_destroy(&run->lock);
  pthread_cond_destroy(&run->change);
  free(run->sources);
  free(run->results);
  free(run);
  return next;
}
