// Commands for entry points on sequences: they are fed with chunks, and drained. After stream_feed.c.
//
//   stream_open STREAM ENTRY VARIABLE...   begins a call; the variables are the arguments that are not sequences
//   stream_feed STREAM VARIABLE...         the next elements of the sequences that are read now: a variable for each part of their elements
//   stream_end STREAM                      these sequences are over
//   stream_take STREAM RESULT VARIABLE...  takes the elements of a sequence of the result that have come so far, a variable for each part
//   stream_results STREAM VARIABLE...      takes the other results at the end, a variable for each part
//   stream_close STREAM                    forgets the call
//
// The first and the third say which sequences are wanted next, one in each line; none at the end. A part is a scalar or an array; elements that
// differ in size have their sizes as the first one.

// Elements of a sequence of the result that wait to be taken.
struct fe_waiting {
  int64_t count, total;
  unsigned char *data[FE_MAX_PARTS];
  size_t bytes[FE_MAX_PARTS];
  int64_t sizes[FE_MAX_PARTS * FE_PART_RANK];
};

struct fe_stream {
  struct fe_stream *next;
  struct fe_feeding feeding;
  struct fe_waiting *waiting;
  bool started, failed;
  char name[];
};

static struct fe_stream **fe_stream_link(struct fe_server *server, const char *name) {
  struct fe_stream **link = &server->streams;
  while (*link != NULL && strcmp((*link)->name, name) != 0) {
    link = &(*link)->next;
  }
  return link;
}

// The stream of a name; NULL if there is none, which has been said.
static struct fe_stream *fe_find_stream(struct fe_server *server) {
  struct fe_stream *stream = *fe_stream_link(server, server->words[1]);
  if (stream == NULL) {
    fe_failure("there is no stream \"%s\"", server->words[1]);
  } else if (stream->failed) {
    fe_failure("the stream \"%s\" has failed, and can only be closed", server->words[1]);
    stream = NULL;
  }
  return stream;
}

static void fe_stream_free(struct fe_stream *stream) {
  const struct fe_streaming *streaming = stream->feeding.steps.streaming;
  for (int i = 0; i < streaming->num_sinks && stream->waiting != NULL; i++) {
    for (int c = 0; c < FE_MAX_PARTS; c++) {
      free(stream->waiting[i].data[c]);
    }
  }
  free(stream->waiting);
  fe_feeding_free(&stream->feeding);
  free(stream);
}

static void fe_close_streams(struct fe_server *server) {
  while (server->streams != NULL) {
    struct fe_stream *stream = server->streams;
    server->streams = stream->next;
    fe_stream_free(stream);
  }
}

static int fe_stream_failure(struct fe_server *server, struct fe_stream *stream, int code) {
  stream->failed = true;
  return fe_context_failure(server, code);
}

// Keeps elements until somebody asks for them.
static int fe_stream_keep(void *state, int result, const struct futhark_chunk *chunk) {
  struct fe_stream *stream = state;
  const struct fe_sequence *sequence = &stream->feeding.steps.streaming->sinks[result];
  struct fe_waiting *waiting = &stream->waiting[result];
  const int64_t *sizes = chunk->sizes;
  for (int c = 0; c < sequence->num_columns; c++) {
    const struct fe_column *column = &sequence->columns[c];
    size_t bytes = (size_t)(sequence->pieces && c > 0 ? chunk->total : chunk->count) * column->prim->size;
    for (int d = 0; d + 1 < column->rank; d++) {
      bytes *= (size_t)sizes[d];
      waiting->sizes[c * FE_PART_RANK + d] = sizes[d];
    }
    sizes += column->rank - 1;
    unsigned char *data = realloc(waiting->data[c], waiting->bytes[c] + bytes + 1);
    if (data == NULL) {
      return ENOMEM;
    }
    if (bytes > 0) {
      memcpy(data + waiting->bytes[c], chunk->columns[c], bytes);
    }
    waiting->data[c] = data;
    waiting->bytes[c] += bytes;
  }
  waiting->count += chunk->count;
  waiting->total += chunk->total;
  return 0;
}

// ---- Arguments ----

// The parts of a value, in turn. `*part` is the number of the first of them, and becomes that of the next value.
static int fe_stream_argument(struct fe_server *server, struct fe_feeding *feeding, const struct fe_type *type, const union fe_slot *slot, int *part) {
  struct futhark_context *ctx = server->ctx;
  struct fe_held held;
  memset(&held, 0, sizeof held);
  int code = 0;
  if (type->kind == FE_OPAQUE) {
    int parts = fe_num_parts(type);
    if (parts < 0) {
      return fe_failure("the type \"%s\" has no parts that can be given to a stream", type->name);
    }
    for (int i = 0; i < parts; i++) {
      union fe_slot field;
      memset(&field, 0, sizeof field);
      const struct fe_type *own = fe_parts(type)[i].type;
      code = fe_parts(type)[i].project(ctx, &field, fe_slot_object((union fe_slot *)slot));
      if (code != 0) {
        return fe_context_failure(server, code);
      }
      int failed = fe_stream_argument(server, feeding, own, &field, part);
      fe_slot_free(ctx, own, &field);
      if (failed != 0) {
        return failed;
      }
    }
    return 0;
  }
  if (type->kind == FE_PRIM) {
    memcpy(held.scalar.bytes, slot, type->prim->size);
  } else {
    void *array = fe_slot_object((union fe_slot *)slot);
    const int64_t *shape = type->array_shape(ctx, array);
    int64_t bytes = fe_bytes(fe_volume(shape, type->rank), (int64_t)type->prim->size);
    void *data = malloc((size_t)bytes + 1);
    code = data == NULL ? fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory") : type->array_values(ctx, array, data);
    code = code == 0 ? futhark_context_sync(ctx) : code;
    code = code == 0 ? fe_make_array(ctx, &held.mem, held.shape, shape, type->rank, (int64_t)type->prim->size, data) : code;
    code = code == 0 ? futhark_context_sync(ctx) : code;
    free(data);
  }
  code = code == 0 ? fe_feeding_argument(feeding, *part, &held) : code;
  fe_free(ctx, &held.mem);
  *part += 1;
  return code == 0 ? 0 : fe_context_failure(server, code);
}

static int fe_leaves_of(const struct fe_type *type) {
  int count = 0;
  for (int i = 0; i < fe_num_parts(type); i++) {
    count += fe_leaves_of(fe_parts(type)[i].type);
  }
  return type->kind == FE_OPAQUE ? count : 1;
}

static int fe_stream_arguments(struct fe_server *server, struct fe_stream *stream, const struct fe_entry *entry) {
  const struct fe_streaming *streaming = entry->streaming;
  int part = 0, word = 3;
  for (int i = 0; i < entry->num_inputs; i++) {
    if (streaming->param_slots[part] < 0) {
      part += fe_leaves_of(entry->inputs[i]);
      continue;
    }
    if (word >= server->num_words) {
      return fe_failure("\"%s\" needs a variable for \"%s\"", entry->name, entry->input_names[i]);
    }
    struct fe_var *var = fe_find_var(server, server->words[word++]);
    if (var == NULL) {
      return 1;
    }
    if (!fe_same_type(var->type, entry->inputs[i])) {
      return fe_failure("\"%s\" has the type %s, but \"%s\" has the type %s", var->name, var->type->name, entry->input_names[i],
                        entry->inputs[i]->name);
    }
    if (fe_stream_argument(server, &stream->feeding, var->type, &var->slot, &part) != 0) {
      return 1;
    }
  }
  return word == server->num_words ? 0 : fe_failure("\"%s\" has fewer arguments that are not sequences", entry->name);
}

// ---- Feeding ----

// Says which sequences are read next. Before the first of them has come, nothing has been executed, unless what is executed says which these are.
static const struct fe_step *fe_stream_wants(const struct fe_stream *stream) {
  const struct fe_streaming *streaming = stream->feeding.steps.streaming;
  if (stream->started) {
    return stream->feeding.pass;
  }
  for (int i = 0; i < streaming->num_steps; i++) {
    if (streaming->steps[i].jump) {
      return NULL;
    }
    if (streaming->steps[i].pass && streaming->steps[i].num_sources > 0) {
      return &streaming->steps[i];
    }
  }
  return NULL;
}

static void fe_stream_tell(const struct fe_stream *stream) {
  const struct fe_step *pass = fe_stream_wants(stream);
  for (int i = 0; pass != NULL && i < pass->num_sources; i++) {
    puts(stream->feeding.steps.streaming->sources[pass->sources[i]].name);
  }
}

static int fe_stream_start(struct fe_stream *stream) {
  const struct fe_streaming *streaming = stream->feeding.steps.streaming;
  static const struct futhark_chunk nothing;
  int code = 0;
  for (int i = 0; i < streaming->num_sources && code == 0; i++) {
    code = fe_feeding_sizes(&stream->feeding, i, &nothing);
  }
  stream->started = true;
  return code == 0 ? fe_feeding_go_on(&stream->feeding) : code;
}

static int fe_cmd_stream_open(struct fe_server *server) {
  const struct fe_entry *entry = fe_find_entry(server->words[2]);
  if (entry == NULL) {
    return 1;
  }
  if (entry->streaming == NULL) {
    return fe_failure("\"%s\" is not executed chunk by chunk", entry->name);
  }
  if (*fe_stream_link(server, server->words[1]) != NULL) {
    return fe_failure("there is already a stream \"%s\"", server->words[1]);
  }
  size_t length = strlen(server->words[1]) + 1;
  struct fe_stream *stream = calloc(1, sizeof *stream + length);
  if (stream == NULL) {
    return fe_no_memory();
  }
  memcpy(stream->name, server->words[1], length);
  int code = fe_feeding_open(&stream->feeding, server->ctx, entry->streaming, fe_stream_keep, stream);
  if (code != 0) {
    free(stream);
    return fe_context_failure(server, code);
  }
  stream->waiting = calloc((size_t)entry->streaming->num_sinks + 1, sizeof *stream->waiting);
  int failed = stream->waiting == NULL ? fe_no_memory() : fe_stream_arguments(server, stream, entry);
  if (failed == 0 && fe_stream_wants(stream) == NULL) {
    code = fe_stream_start(stream);
    failed = code == 0 ? 0 : fe_context_failure(server, code);
  }
  if (failed != 0) {
    fe_stream_free(stream);
    return 1;
  }
  stream->next = server->streams;
  server->streams = stream;
  fe_stream_tell(stream);
  return 0;
}

// The values of the variables of a command from a word on, one for each part of the sequences of a pass. `code` is the context's.
static int fe_stream_chunks(struct fe_server *server, struct fe_stream *stream, const struct fe_step *pass, struct futhark_chunk *chunks,
                            const void **columns, int64_t *sizes, int *code) {
  const struct fe_streaming *streaming = stream->feeding.steps.streaming;
  int word = 2;
  for (int i = 0; i < pass->num_sources; i++) {
    const struct fe_sequence *sequence = &streaming->sources[pass->sources[i]];
    chunks[i] = (struct futhark_chunk){0, 0, columns, sizes};
    for (int c = 0; c < sequence->num_columns; c++, word++) {
      const struct fe_column *column = &sequence->columns[c];
      struct fe_var *var = word < server->num_words ? fe_find_var(server, server->words[word]) : NULL;
      if (word >= server->num_words) {
        return fe_failure("\"%s\" needs a variable for part %d of its elements", sequence->name, c);
      }
      if (var == NULL) {
        return 1;
      }
      const struct fe_type *type = var->type;
      if (type->kind != FE_ARRAY || type->prim != column->prim || type->rank != column->rank) {
        return fe_failure("part %d of the elements of \"%s\" is an array of %d dimensions of %s, but \"%s\" has the type %s", c, sequence->name,
                          column->rank, column->prim->name, var->name, type->name);
      }
      void *array = fe_slot_object(&var->slot);
      const int64_t *shape = type->array_shape(server->ctx, array);
      int64_t *number = sequence->pieces && c > 0 ? &chunks[i].total : &chunks[i].count;
      if (c > (sequence->pieces ? 1 : 0) && *number != shape[0]) {
        return fe_failure("the parts of a chunk of \"%s\" have different lengths", sequence->name);
      }
      *number = shape[0];
      for (int d = 1; d < type->rank; d++) {
        *sizes++ = shape[d];
      }
      void *data = malloc((size_t)fe_bytes(fe_volume(shape, type->rank), (int64_t)type->prim->size) + 1);
      *columns++ = data;
      if (data == NULL) {
        return fe_no_memory();
      }
      *code = type->array_values(server->ctx, array, data);
      *code = *code == 0 ? futhark_context_sync(server->ctx) : *code;
      if (*code != 0) {
        return fe_context_failure(server, *code);
      }
    }
    if (i > 0 && chunks[i].count != chunks[0].count) {
      return fe_failure("sequences that are read in step get chunks of one size, but \"%s\" has another one", sequence->name);
    }
  }
  return word == server->num_words ? 0 : fe_failure("the sequences that are read now have fewer parts");
}

static int fe_cmd_stream_feed(struct fe_server *server) {
  struct fe_stream *stream = fe_find_stream(server);
  const struct fe_step *pass = stream == NULL ? NULL : fe_stream_wants(stream);
  if (pass == NULL) {
    return stream == NULL ? 1 : fe_failure("the stream \"%s\" is at its end", stream->name);
  }
  struct futhark_chunk chunks[FE_MAX_SEQUENCES];
  size_t most = (size_t)server->num_words;
  const void **columns = calloc(most, sizeof *columns);
  int64_t *sizes = calloc(most * FE_PART_RANK, sizeof *sizes);
  int code = 0;
  int failed = columns == NULL || sizes == NULL ? fe_no_memory()
                                                : fe_stream_chunks(server, stream, pass, chunks, columns, sizes, &code);
  if (failed == 0) {
    for (int i = 0; i < pass->num_sources && code == 0; i++) {
      code = fe_feeding_sizes(&stream->feeding, pass->sources[i], &chunks[i]);
    }
    code = code == 0 && !stream->started ? fe_stream_start(stream) : code;
    static const int64_t zeros[FE_MAX_SEQUENCES];
    int64_t values[FE_MAX_SEQUENCES] = {0};
    code = code == 0 ? fe_feed_chunk(&stream->feeding, chunks, zeros, chunks[0].count, values) : code;
    failed = code == 0 ? 0 : fe_stream_failure(server, stream, code);
  }
  for (size_t i = 0; columns != NULL && i < most; i++) {
    free((void *)columns[i]);
  }
  free(columns);
  free(sizes);
  return failed;
}

static int fe_cmd_stream_end(struct fe_server *server) {
  struct fe_stream *stream = fe_find_stream(server);
  if (stream == NULL || fe_stream_wants(stream) == NULL) {
    return stream == NULL ? 1 : fe_failure("the stream \"%s\" is at its end", stream->name);
  }
  int code = stream->started ? 0 : fe_stream_start(stream);
  code = code == 0 ? fe_feed_end(&stream->feeding) : code;
  code = code == 0 && stream->feeding.pass == NULL ? fe_feeding_rest(&stream->feeding) : code;
  if (code != 0) {
    return fe_stream_failure(server, stream, code);
  }
  fe_stream_tell(stream);
  return 0;
}

// ---- Draining ----

// The type of an array or a scalar; NULL if no variable can have it, which has been said.
static const struct fe_type *fe_column_type(const struct fe_column *column) {
  if (column->rank == 0) {
    return fe_scalar_type(column->prim);
  }
  for (int i = 0; i < fe_program.num_types; i++) {
    const struct fe_type *type = fe_program.types[i];
    if (type->kind == FE_ARRAY && type->prim == column->prim && type->rank == column->rank) {
      return type;
    }
  }
  fe_failure("no variable can be an array of %d dimensions of %s in this program", column->rank, column->prim->name);
  return NULL;
}

// A new variable with this array.
static int fe_stream_var(struct fe_server *server, const char *name, const struct fe_column *column, const void *data, const int64_t *shape) {
  const struct fe_type *type = fe_column_type(column);
  struct fe_var *var = type == NULL ? NULL : fe_add_var(server, name, type);
  if (var == NULL) {
    return 1;
  }
  if (column->rank == 0) {
    memcpy(&var->slot, data, column->prim->size);
    return 0;
  }
  static const unsigned char nothing[8];
  void *array = type->array_new(server->ctx, data == NULL ? nothing : data, shape);
  int code = array == NULL ? FUTHARK_PROGRAM_ERROR : futhark_context_sync(server->ctx);
  memcpy(&var->slot, &array, sizeof array);
  if (code != 0) {
    fe_remove_var(server, name);
    return fe_context_failure(server, code);
  }
  return 0;
}

static int fe_cmd_stream_take(struct fe_server *server) {
  struct fe_stream *stream = fe_find_stream(server);
  const struct fe_streaming *streaming = stream == NULL ? NULL : stream->feeding.steps.streaming;
  int number = 0;
  while (stream != NULL && number < streaming->num_sinks && strcmp(streaming->sinks[number].name, server->words[2]) != 0) {
    number++;
  }
  if (stream == NULL || number == streaming->num_sinks) {
    return stream == NULL ? 1 : fe_failure("the result has no sequence \"%s\"", server->words[2]);
  }
  const struct fe_sequence *sequence = &streaming->sinks[number];
  struct fe_waiting *waiting = &stream->waiting[number];
  if (server->num_words != 3 + sequence->num_columns) {
    return fe_failure("the elements of \"%s\" have %d part%s", sequence->name, sequence->num_columns, sequence->num_columns == 1 ? "" : "s");
  }
  for (int c = 0; c < sequence->num_columns; c++) {
    int64_t shape[FE_PART_RANK] = {sequence->pieces && c > 0 ? waiting->total : waiting->count};
    memcpy(shape + 1, waiting->sizes + c * FE_PART_RANK, sizeof(int64_t) * (FE_PART_RANK - 1));
    if (fe_stream_var(server, server->words[3 + c], &sequence->columns[c], waiting->data[c], shape) != 0) {
      fe_remove_vars(server, c, server->words + 3);
      return 1;
    }
  }
  waiting->count = waiting->total = 0;
  memset(waiting->bytes, 0, sizeof waiting->bytes);
  return 0;
}

static int fe_cmd_stream_results(struct fe_server *server) {
  struct fe_stream *stream = fe_find_stream(server);
  if (stream == NULL || !stream->started || stream->feeding.pass != NULL) {
    return stream == NULL ? 1 : fe_failure("the stream \"%s\" is not at its end", stream->name);
  }
  const struct fe_streaming *streaming = stream->feeding.steps.streaming;
  int word = 2, failed = 0;
  for (int p = 0; p < streaming->num_parts && failed == 0; p++) {
    if (fe_sink_of(streaming, p) >= 0) {
      continue;
    }
    if (word >= server->num_words) {
      failed = fe_failure("the result has more parts");
      break;
    }
    struct fe_held *slot = &stream->feeding.steps.slots[streaming->part_slots[p]];
    const struct fe_column *column = &streaming->parts[p];
    void *data = NULL;
    int code = 0;
    if (column->rank > 0) {
      int64_t bytes = fe_part_bytes(slot, column);
      data = malloc((size_t)bytes + 1);
      code = data == NULL ? FUTHARK_OUT_OF_MEMORY : fe_copy_out(server->ctx, data, &slot->mem, 0, bytes);
      code = code == 0 ? futhark_context_sync(server->ctx) : code;
    }
    failed = code != 0 ? fe_context_failure(server, code)
                       : fe_stream_var(server, server->words[word], column, column->rank > 0 ? data : (void *)slot->scalar.bytes, slot->shape);
    free(data);
    word += failed == 0;
  }
  if (failed == 0 && word < server->num_words) {
    failed = fe_failure("the result has fewer parts that are not sequences");
  }
  if (failed != 0) {
    fe_remove_vars(server, word - 2, server->words + 2);
  }
  return failed;
}

static int fe_cmd_stream_close(struct fe_server *server) {
  struct fe_stream **link = fe_stream_link(server, server->words[1]), *stream = *link;
  if (stream == NULL) {
    return fe_failure("there is no stream \"%s\"", server->words[1]);
  }
  *link = stream->next;
  fe_stream_free(stream);
  return 0;
}
