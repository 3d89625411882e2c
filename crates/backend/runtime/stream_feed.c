// Sequences of callers: chunks in their memory go through the steps of an entry point. After steps.c.
//
// A feeding is opened with the arguments that are not sequences. `pass` is then the pass that wants chunks, and fe_feed_chunk gives it some; when its
// sequences are over, fe_feed_end goes on to the next one. Results that are sequences go to `take` as they come. fe_stream_call
// does all of that for callers who have functions for their sequences.

// Who gets some elements of a sequence of the result.
typedef int fe_take(void *state, int result, const struct futhark_chunk *chunk);

struct fe_feeding {
  struct fe_steps steps;
  int next;                   // the number of the step that comes next
  const struct fe_step *pass; // which wants chunks; NULL: all is done
  int64_t before;             // the elements that it has had
  int64_t most;               // elements of a chunk, because memory was short
  bool used[FE_MAX_SEQUENCES]; // the sources that a pass has begun to read
  struct fe_held *columns;
#ifdef FE_GPU
  // For each source of the pass the addresses of a chunk's columns on the device, if it was sent; NULL: it was not.
  unsigned char *const *sent[FE_MAX_SEQUENCES];
#endif
  fe_take *take;
  void *state;
};

// The bytes of an element of a column; -1 if its sizes are not known.
static int64_t fe_column_width(const struct fe_steps *steps, const struct fe_column *column) {
  int64_t width = (int64_t)column->prim->size;
  for (int d = 1; d < column->rank; d++) {
    int64_t size = fe_column_size(steps, column, d);
    width = size < 0 || (size > 0 && width > INT64_MAX / size) ? -1 : width * size;
    if (width < 0) {
      return -1;
    }
  }
  return width;
}

// Hands some arrays of a sequence of the result out. They are copied from a device first.
static int fe_feeding_take(struct fe_feeding *feeding, int number, struct fe_held *const *parts, int64_t count, int64_t total) {
  struct futhark_context *ctx = feeding->steps.ctx;
  const struct fe_sequence *sequence = &feeding->steps.streaming->sinks[number];
  const void *columns[FE_MAX_PARTS];
  void *copies[FE_MAX_PARTS] = {0};
  int64_t sizes[FE_MAX_PARTS * FE_PART_RANK];
  int code = 0, num_sizes = 0;
  for (int c = 0; c < sequence->num_columns && code == 0; c++) {
    for (int d = 1; d < sequence->columns[c].rank; d++) {
      sizes[num_sizes++] = parts[c]->shape[d];
    }
    columns[c] = parts[c]->mem.data;
#ifdef FE_GPU
    int64_t bytes = fe_part_bytes(parts[c], &sequence->columns[c]);
    columns[c] = copies[c] = malloc((size_t)bytes + 1);
    code = copies[c] == NULL ? fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory for results")
                             : fe_copy_out(ctx, copies[c], &parts[c]->mem, 0, bytes);
#endif
  }
  code = code == 0 ? futhark_context_sync(ctx) : code;
  if (code == 0) {
    const struct futhark_chunk chunk = {count, total, columns, sizes};
    int given = feeding->take(feeding->state, number, &chunk);
    code = given == 0 ? 0
                      : fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the sequence \"%s\" of the result was not taken: code %d", sequence->name, given);
  }
  for (int c = 0; c < sequence->num_columns; c++) {
    free(copies[c]);
  }
  return code;
}

// What a chunk yields.
static int fe_feeding_give(struct fe_steps *steps, const struct fe_step *step, struct fe_held *parts) {
  struct fe_feeding *feeding = steps->state;
  int code = 0;
  for (int out = 0; out < steps->streaming->num_sinks && code == 0; out++) {
    struct fe_held *own[FE_MAX_PARTS], *part = parts;
    int64_t count = 0, total = 0;
    bool any = false;
    for (int s = 0; s < step->num_sinks; s++) {
      const struct fe_sink *sink = &step->sinks[s];
      int64_t number = (part++)->scalar.i64;
      for (int i = 0; i < sink->num_parts; i++, part++) {
        if (sink->out == out) {
          any = true;
          own[sink->column + i] = part;
          *(sink->column == 0 ? &count : &total) = number;
        }
      }
    }
    code = any && count > 0 ? fe_feeding_take(feeding, out, own, count, total) : 0;
  }
  return code;
}

static void fe_feeding_free(struct fe_feeding *feeding) {
  fe_steps_free(&feeding->steps);
  free(feeding->columns);
}

// Executes a pass that reads no sequences.
static int fe_feeding_alone(struct fe_feeding *feeding, const struct fe_step *step) {
  struct fe_steps *steps = &feeding->steps;
  int64_t width = steps->slots[step->width].scalar.i64, most = FE_FED_BYTES / 8;
  fe_steps_begin_pass(steps, step);
  for (int64_t before = 0;;) {
    int64_t count = width - before < most ? width - before : most;
    int code = fe_steps_chunk(steps, step, NULL, NULL, before, count, before + count == width);
    if (code == FUTHARK_OUT_OF_MEMORY && count > 1) {
      fe_forget_error(steps->ctx);
      most = count / 2;
      continue;
    }
    before += count;
    if (code != 0 || before == width) {
      return code;
    }
  }
}

// Goes on to the next pass that wants chunks.
static int fe_feeding_go_on(struct fe_feeding *feeding) {
  const struct fe_streaming *streaming = feeding->steps.streaming;
  feeding->pass = NULL;
  while (feeding->next < streaming->num_steps) {
    const struct fe_step *step = &streaming->steps[feeding->next++];
    if (step->jump) {
      feeding->next = fe_steps_jump(&feeding->steps, step, feeding->next);
      continue;
    }
    if (step->pass && step->num_sources > 0) {
      fe_steps_begin_pass(&feeding->steps, step);
      feeding->pass = step;
      feeding->before = 0;
      return 0;
    }
    int code = step->pass ? fe_feeding_alone(feeding, step) : fe_steps_call(&feeding->steps, step);
    if (code != 0) {
      return code;
    }
  }
  return 0;
}

static int fe_feeding_open(struct fe_feeding *feeding, struct futhark_context *ctx, const struct fe_streaming *streaming, fe_take *take,
                           void *state) {
  memset(feeding, 0, sizeof *feeding);
  int columns = 1, wide = 0;
  for (int i = 0; i < streaming->num_sources; i++) {
    columns += streaming->sources[i].num_columns;
    wide = streaming->sources[i].num_columns > wide ? streaming->sources[i].num_columns : wide;
  }
  for (int i = 0; i < streaming->num_sinks; i++) {
    wide = streaming->sinks[i].num_columns > wide ? streaming->sinks[i].num_columns : wide;
  }
  if (streaming->num_sources > FE_MAX_SEQUENCES || wide > FE_MAX_PARTS) {
    return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "there are more than %d sequences, or an element has more than %d parts", FE_MAX_SEQUENCES, FE_MAX_PARTS);
  }
  int code = fe_steps_init(&feeding->steps, ctx, streaming);
  feeding->columns = calloc((size_t)columns, sizeof *feeding->columns);
  if (code == 0 && feeding->columns == NULL) {
    fe_feeding_free(feeding);
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory");
  }
  feeding->steps.give = fe_feeding_give;
  feeding->steps.state = feeding;
  feeding->take = take;
  feeding->state = state;
  feeding->most = INT64_MAX;
  return code;
}

// An argument that is not a sequence, by the number of its part; its handle is moved.
static int fe_feeding_argument(struct fe_feeding *feeding, int part, struct fe_held *value) {
  const struct fe_streaming *streaming = feeding->steps.streaming;
  const struct fe_column *column = &streaming->params[part];
  struct fe_held *slot = &feeding->steps.slots[streaming->param_slots[part]];
  int64_t wanted;
  int dim = fe_sizes_differ(&feeding->steps, column, 0, value->shape, &wanted);
  if (dim >= 0) {
    return fe_fail(feeding->steps.ctx, FUTHARK_PROGRAM_ERROR, "argument %d: dimension %d has size %lld where it should have size %lld",
                   part + 1, dim, (long long)value->shape[dim], (long long)wanted);
  }
  *slot = *value;
  slot->known = true;
  memset(value, 0, sizeof *value);
  return 0;
}

// The sizes of the elements of a source, if a chunk tells them.
static int fe_feeding_sizes(struct fe_feeding *feeding, int number, const struct futhark_chunk *chunk) {
  const struct fe_sequence *sequence = &feeding->steps.streaming->sources[number];
  const int64_t *sizes = chunk->sizes;
  for (int c = 0; c < sequence->num_columns; c++) {
    const struct fe_column *column = &sequence->columns[c];
    int64_t wanted;
    int dim = sizes == NULL ? -1 : fe_sizes_differ(&feeding->steps, column, 1, sizes, &wanted);
    if (dim >= 0) {
      return fe_fail(feeding->steps.ctx, FUTHARK_PROGRAM_ERROR, "an element of \"%s\": dimension %d has size %lld where it should have size %lld",
                     sequence->name, dim - 1, (long long)sizes[dim - 1], (long long)wanted);
    }
    if (fe_column_width(&feeding->steps, column) < 0) {
      return fe_fail(feeding->steps.ctx, FUTHARK_PROGRAM_ERROR, "nothing says how large an element of \"%s\" is", sequence->name);
    }
    sizes = sizes == NULL ? NULL : sizes + column->rank - 1;
  }
  return 0;
}

// The number of values of some pieces; -1 if it cannot be.
static int64_t fe_sum_sizes(const int64_t *sizes, int64_t count, int64_t most) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) {
    if (sizes[i] < 0 || sizes[i] > most - total) {
      return -1;
    }
    total += sizes[i];
  }
  return total;
}

// Elements `from` to `from + count` of a chunk for each source of the pass; `values` is where the values of pieces start, and grows.
static int fe_feed_part(struct fe_feeding *feeding, const struct futhark_chunk *chunks, const int64_t *from, int64_t count, int64_t *values,
                        bool last) {
  const struct fe_step *pass = feeding->pass;
  struct fe_steps *steps = &feeding->steps;
  struct fe_held *column = feeding->columns;
  int64_t totals[FE_MAX_SEQUENCES] = {0};
  int code = 0;
  for (int i = 0; i < pass->num_sources && code == 0; i++) {
    const struct fe_sequence *sequence = &steps->streaming->sources[pass->sources[i]];
    const struct futhark_chunk *chunk = &chunks[i];
    if (sequence->pieces && count > 0) {
      totals[i] = fe_sum_sizes((const int64_t *)chunk->columns[0] + from[i], count, chunk->total - values[i]);
      if (totals[i] < 0) {
        return fe_fail(steps->ctx, FUTHARK_PROGRAM_ERROR, "a chunk of \"%s\" has fewer values than its sizes say", sequence->name);
      }
    }
    for (int c = 0; c < sequence->num_columns && code == 0; c++, column++) {
      bool of_values = sequence->pieces && c > 0;
      const struct fe_column *type = &sequence->columns[c];
      fe_free(steps->ctx, &column->mem);
      column->shape[0] = of_values ? totals[i] : count;
      for (int d = 1; d < type->rank; d++) {
        column->shape[d] = fe_column_size(steps, type, d);
      }
      int64_t at = (of_values ? values[i] : from[i]) * fe_column_width(steps, type);
#ifdef FE_GPU
      if (feeding->sent[i] != NULL && count > 0) {
        column->mem.data = feeding->sent[i][c] + at;
        continue;
      }
#endif
      const unsigned char *data = count == 0 ? NULL : (const unsigned char *)chunk->columns[c] + at;
#ifdef FE_GPU
      static const unsigned char nothing[8];
      int64_t sizes[FE_PART_RANK];
      memcpy(sizes, column->shape, sizeof sizes);
      code = fe_make_array(steps->ctx, &column->mem, column->shape, sizes, type->rank, (int64_t)type->prim->size, data == NULL ? nothing : data);
#else
      column->mem.data = (unsigned char *)data; // steps change nothing that they were given
#endif
    }
  }
  code = code == 0 ? fe_steps_chunk(steps, pass, feeding->columns, totals, feeding->before, count, last) : code;
  for (struct fe_held *done = feeding->columns; done < column; done++) {
    fe_free(steps->ctx, &done->mem);
  }
  if (code == 0) {
    feeding->before += count;
    for (int i = 0; i < pass->num_sources; i++) {
      values[i] += totals[i];
    }
  }
  return code;
}

// Gives the pass `count` elements of a chunk for each of its sources, in smaller parts if memory is short.
static int fe_feed_chunk(struct fe_feeding *feeding, const struct futhark_chunk *chunks, const int64_t *from, int64_t count, int64_t *values) {
  int64_t at[FE_MAX_SEQUENCES];
  memcpy(at, from, sizeof(int64_t) * (size_t)feeding->pass->num_sources);
  for (int64_t done = 0; done < count;) {
    int64_t some = count - done < feeding->most ? count - done : feeding->most;
    int code = fe_feed_part(feeding, chunks, at, some, values, false);
    if (code == FUTHARK_OUT_OF_MEMORY && some > 1) {
      fe_forget_error(feeding->steps.ctx);
      fe_pool_trim(fe_pool_of(feeding->steps.ctx));
      feeding->most = some / 2;
      continue;
    }
    if (code != 0) {
      return code;
    }
    done += some;
    for (int i = 0; i < feeding->pass->num_sources; i++) {
      at[i] += some;
    }
  }
  return 0;
}

// The sequences of the pass are over.
static int fe_feed_end(struct fe_feeding *feeding) {
  static const struct futhark_chunk empty[FE_MAX_SEQUENCES];
  static const int64_t zeros[FE_MAX_SEQUENCES];
  int64_t values[FE_MAX_SEQUENCES] = {0};
  int code = fe_feed_part(feeding, empty, zeros, 0, values, true);
  return code != 0 ? code : fe_feeding_go_on(feeding);
}

// Results that are sequences, but had to be in memory.
static int fe_feeding_rest(struct fe_feeding *feeding) {
  const struct fe_streaming *streaming = feeding->steps.streaming;
  int code = 0;
  for (int i = 0; i < streaming->num_sinks && code == 0; i++) {
    const struct fe_sequence *sequence = &streaming->sinks[i];
    struct fe_held *parts[FE_MAX_PARTS];
    if (streaming->part_slots[sequence->first] < 0) {
      continue;
    }
    for (int c = 0; c < sequence->num_columns; c++) {
      parts[c] = &feeding->steps.slots[streaming->part_slots[sequence->first + c]];
    }
    code = parts[0]->shape[0] == 0 ? 0
                                   : fe_feeding_take(feeding, i, parts, parts[0]->shape[0], sequence->pieces ? parts[1]->shape[0] : 0);
  }
  return code;
}

// The sequence that a part of the result belongs to; -1: none.
static int fe_sink_of(const struct fe_streaming *streaming, int part) {
  for (int i = 0; i < streaming->num_sinks; i++) {
    if (part >= streaming->sinks[i].first && part < streaming->sinks[i].first + streaming->sinks[i].num_columns) {
      return i;
    }
  }
  return -1;
}
