// The steps of an entry point on sequences: functions that are called once, and for each chunk.
//
// On processors, the arrays of a chunk are the buffers that it was read into.

static int64_t fe_part_bytes(const struct fe_held *part, const struct fe_column *column) {
  return fe_bytes(fe_volume(part->shape, column->rank), (int64_t)column->prim->size);
}

// A result that has no memory of its own may be a buffer that is about to be used again.
static int fe_part_own(struct futhark_context *ctx, struct fe_held *part, int64_t bytes) {
  return part->mem.block == NULL && part->mem.data != NULL && bytes > 0 ? fe_own_array(ctx, &part->mem, bytes) : 0;
}

static int fe_run_call(struct fe_run *run, const struct fe_step *step) {
  size_t count = (size_t)(step->num_args + step->num_results + 1);
  struct fe_held **in = calloc(count, sizeof *in), *fresh = calloc(count, sizeof *fresh), **out = calloc(count, sizeof *out);
  int code = in == NULL || fresh == NULL || out == NULL ? FUTHARK_OUT_OF_MEMORY : 0;
  for (int i = 0; i < step->num_args && code == 0; i++) {
    in[i] = &run->slots[step->args[i]];
  }
  for (int i = 0; i < step->num_results && code == 0; i++) {
    out[i] = &fresh[i];
  }
  code = code == 0 ? step->call(run->ctx, out, in) : code;
  code = code == 0 ? futhark_context_sync(run->ctx) : code;
  for (int i = 0; i < step->num_results && code == 0; i++) {
    struct fe_held *slot = &run->slots[step->results[i]];
    fe_free(run->ctx, &slot->mem);
    *slot = fresh[i];
    slot->known = true;
  }
  free(in);
  free(fresh);
  free(out);
  return code;
}

// Appends an array to one that grows.
static int fe_grow(struct fe_run *run, int slot, const struct fe_held *part, int64_t bytes) {
  struct futhark_context *ctx = run->ctx;
  struct fe_held *to = &run->slots[slot];
  const struct fe_column *column = &run->streaming->slots[slot];
  int64_t used = to->known ? fe_part_bytes(to, column) : 0;
  int64_t before = to->known ? to->shape[0] : 0, more = part->shape[0];
  if (used + bytes > run->capacities[slot]) {
    int64_t capacity = 2 * run->capacities[slot] > used + bytes ? 2 * run->capacities[slot] : used + bytes;
    struct fe_mem larger = {0};
    int code = fe_alloc(ctx, &larger, capacity);
    if (code != 0) {
      capacity = used + bytes;
      fe_forget_error(ctx);
      code = fe_alloc(ctx, &larger, capacity);
    }
    code = code == 0 ? fe_copy_across(ctx, &larger, 0, &to->mem, used) : code;
    if (code != 0) {
      fe_free(ctx, &larger);
      return code;
    }
    fe_free(ctx, &to->mem);
    to->mem = larger;
    run->capacities[slot] = capacity;
  }
  int code = fe_copy_across(ctx, &to->mem, used, &part->mem, bytes);
  memcpy(to->shape, part->shape, sizeof to->shape);
  to->shape[0] = before + more;
  to->known = true;
  return code;
}

// Hands the arrays of sinks to the writer.
static int fe_hand_over(struct fe_run *run, const struct fe_step *step, struct fe_held *parts, int *turn) {
  for (int s = 0; s < step->num_sinks; s++) {
    const struct fe_sink *sink = &step->sinks[s];
    if (sink->out < 0 || sink->column > 0) {
      continue; // the values of pieces come with their sizes
    }
    struct fe_result *result = &run->results[sink->out];
    struct fe_written *written = &run->written[*turn];
    fe_written_wait(run, written);
    fe_written_empty(run, written);
    if (fe_interrupted) {
      return 0;
    }
    written->result = result;
    written->total = 0;
    int column = 0;
    struct fe_held *part = parts;
    for (int other = 0; other < step->num_sinks; other++) {
      const struct fe_sink *own = &step->sinks[other];
      struct fe_held *count = part++;
      for (int i = 0; i < own->num_parts; i++, part++) {
        if (own->out != sink->out) {
          continue;
        }
        const struct fe_column *type = &result->sequence->columns[own->column + i];
        int64_t bytes = fe_part_bytes(part, type);
        memcpy(result->shapes[own->column + i], part->shape + 1, sizeof(int64_t) * (FE_PART_RANK - 1));
        *(own->column == 0 ? &written->count : &written->total) = count->scalar.i64;
        column = own->column + i;
#ifdef FE_GPU
        if (fe_buffer_want(&written->buffers[column], (size_t)bytes) != 0) {
          return fe_fail(run->ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory for results");
        }
        int code = fe_copy_out(run->ctx, written->buffers[column].data, &part->mem, 0, bytes);
        written->data[column] = written->buffers[column].data;
#else
        int code = fe_part_own(run->ctx, part, bytes);
        fe_share(run->ctx, &written->mem[column], &part->mem, 0);
        written->data[column] = written->mem[column].data;
#endif
        if (code != 0) {
          return code;
        }
      }
    }
#ifdef FE_GPU
    int code = futhark_context_sync(run->ctx);
    if (code != 0) {
      return code;
    }
#endif
    pthread_mutex_lock(&run->lock);
    written->full = true;
    fe_signal(run);
    pthread_mutex_unlock(&run->lock);
    *turn ^= 1;
    if (result->failed) {
      return 0;
    }
  }
  return 0;
}

// What a pass needs while it runs.
struct fe_call_frame {
  struct fe_held **in, **out;
  struct fe_held *fresh, *own; // results; arguments that are the chunk's own
  int turn;                    // of what is written
};

// Executes a step for some elements of a chunk. The states and sums change only if it succeeds.
static int fe_run_part(struct fe_run *run, const struct fe_step *step, const struct fe_chunk *chunk, struct fe_call_frame *frame,
                       int64_t before, int64_t from, int64_t count, const int64_t *offsets, const int64_t *totals, bool last) {
  struct futhark_context *ctx = run->ctx;
  struct fe_held **in = frame->in, *own = frame->own;
  for (int i = 0; i < step->num_args; i++) {
    *in++ = &run->slots[step->args[i]];
  }
  own[0].scalar.i64 = before + from;
  own[1].scalar.i64 = count;
  memset(own[2].scalar.bytes, 0, 8);
  *(bool *)(void *)own[2].scalar.bytes = last;
  for (int i = 0; i < 3; i++) {
    *in++ = own++;
  }
  for (int i = 0; i < step->num_states; i++) {
    *in++ = &run->slots[step->states[i]];
  }
  int code = 0;
  const struct fe_buffer *buffer = chunk == NULL ? NULL : chunk->columns;
  for (int i = 0; i < step->num_sources && code == 0; i++) {
    const struct fe_source *source = &run->sources[step->sources[i]];
    const struct fe_sequence *sequence = source->sequence;
    for (int c = 0; c < sequence->num_columns && code == 0; c++, buffer++) {
      bool values = sequence->pieces && c > 0;
      if (values && c == 1) {
        own->scalar.i64 = totals[i];
        *in++ = own++;
      }
      const struct fe_column *column = &sequence->columns[c];
      own->shape[0] = values ? totals[i] : count;
      for (int d = 1; d < column->rank; d++) {
        own->shape[d] = column->slots[d] >= 0 ? run->slots[column->slots[d]].scalar.i64 : column->sizes[d];
      }
      size_t at = (size_t)(values ? offsets[i] : from) * source->widths[c];
      fe_free(ctx, &own->mem);
#ifdef FE_GPU
      int64_t sizes[FE_PART_RANK];
      memcpy(sizes, own->shape, sizeof sizes);
      static const unsigned char nothing[8];
      code = fe_make_array(ctx, &own->mem, own->shape, sizes, column->rank, (int64_t)column->prim->size,
                           buffer->data == NULL ? nothing : buffer->data + at);
#else
      own->mem.data = buffer->data == NULL ? NULL : buffer->data + at;
#endif
      *in++ = own++;
    }
  }
  int results = step->num_states;
  for (int s = 0; s < step->num_sinks; s++) {
    results += 1 + step->sinks[s].num_parts;
  }
  for (int i = 0; i < results; i++) {
    frame->out[i] = &frame->fresh[i];
  }
  code = code == 0 ? step->call(ctx, frame->out, frame->in) : code;
  code = code == 0 ? futhark_context_sync(ctx) : code;
  struct fe_held *part = frame->fresh + step->num_states;
  if (code == 0) {
    for (int i = 0; i < step->num_states; i++) {
      struct fe_held *slot = &run->slots[step->states[i]], *new = &frame->fresh[i];
      code = fe_part_own(ctx, new, fe_part_bytes(new, &run->streaming->slots[step->states[i]]));
      fe_free(ctx, &slot->mem);
      *slot = *new;
      slot->known = true;
      memset(new, 0, sizeof *new);
    }
    for (int s = 0; s < step->num_sinks && code == 0; s++) {
      const struct fe_sink *sink = &step->sinks[s];
      run->slots[sink->count].scalar.i64 += part->scalar.i64;
      run->slots[sink->count].known = true;
      part++;
      for (int i = 0; i < sink->num_parts && code == 0; i++, part++) {
        if (sink->arrays != NULL) {
          code = fe_grow(run, sink->arrays[i], part, fe_part_bytes(part, &run->streaming->slots[sink->arrays[i]]));
        }
      }
    }
    code = code == 0 ? fe_hand_over(run, step, frame->fresh + step->num_states, &frame->turn) : code;
    // Nothing is repeated that has happened.
    code = code == FUTHARK_OUT_OF_MEMORY ? FUTHARK_PROGRAM_ERROR : code;
  }
  for (int i = 0; i < results; i++) {
    fe_free(ctx, &frame->fresh[i].mem);
    memset(&frame->fresh[i], 0, sizeof frame->fresh[i]);
  }
  return code;
}

// Likewise, in halves if memory is short.
static int fe_run_elements(struct fe_run *run, const struct fe_step *step, const struct fe_chunk *chunk,
                           struct fe_call_frame *frame, int64_t before, int64_t from, int64_t count, const int64_t *offsets,
                           const int64_t *totals, bool last) {
  fe_pool_settle(fe_pool_of(run->ctx));
  struct fe_pool *pool = fe_pool_of(run->ctx);
  int64_t used = pool->used, start = fe_now();
  pool->recent = used;
  if (run->bounded) {
    // What chunks are read into is not in the pool.
    int64_t read = (int64_t)(2.5 * run->pace.read * (double)count);
    pool->limit = run->limit > read ? run->limit - read : 1;
  }
  int code = fe_run_part(run, step, chunk, frame, before, from, count, offsets, totals, last);
  fe_pool_settle(pool);
  int64_t needed = pool->recent - used, now = pool->used;
  if (code != FUTHARK_OUT_OF_MEMORY || count <= 1) {
    pthread_mutex_lock(&run->lock);
    run->used = now;
    fe_pace_learn(&run->pace, count, fe_now() - start, needed);
    pthread_mutex_unlock(&run->lock);
    return code;
  }
  fe_forget_error(run->ctx);
  fe_pool_trim(pool);
  pthread_mutex_lock(&run->lock);
  fe_pace_halve(&run->pace, count);
  pthread_mutex_unlock(&run->lock);
  int64_t half = count / 2, first[FE_MAX_COLUMNS] = {0}, second[FE_MAX_COLUMNS] = {0}, middle[FE_MAX_COLUMNS] = {0};
  const struct fe_buffer *buffer = chunk == NULL ? NULL : chunk->columns;
  for (int i = 0; i < step->num_sources; i++) {
    const struct fe_sequence *sequence = run->sources[step->sources[i]].sequence;
    for (int64_t k = 0; sequence->pieces && k < half; k++) {
      first[i] += ((const int64_t *)(const void *)buffer->data)[from + k];
    }
    second[i] = totals[i] - first[i];
    middle[i] = offsets[i] + first[i];
    buffer += sequence->num_columns;
  }
  code = fe_run_elements(run, step, chunk, frame, before, from, half, offsets, first, false);
  return code != 0 ? code
                   : fe_run_elements(run, step, chunk, frame, before, from + half, count - half, middle, second, last);
}

// Says why a run ends before its time; always a failure.
static int fe_run_fail(struct fe_run *run, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(run->message, sizeof run->message, format, arguments);
  va_end(arguments);
  return FUTHARK_PROGRAM_ERROR;
}

// The first result that could not be written.
static const struct fe_result *fe_lost_result(const struct fe_run *run) {
  for (int i = 0; i < run->streaming->num_sinks; i++) {
    if (run->results[i].failed) {
      return &run->results[i];
    }
  }
  return NULL;
}

static int fe_run_chunks(struct fe_run *run, const struct fe_step *step, struct fe_call_frame *frame) {
  static const int64_t zeros[FE_MAX_COLUMNS] = {0};
  int64_t before = 0, width = step->width >= 0 ? run->slots[step->width].scalar.i64 : 0;
  bool last = false;
  for (int turn = 0; !last; turn ^= 1) {
    struct fe_chunk *chunk = step->num_sources > 0 ? &run->chunks[turn] : NULL;
    int64_t count;
    if (chunk != NULL) {
      pthread_mutex_lock(&run->lock);
      while (!chunk->full && !fe_interrupted) {
        fe_pause_run(run);
        fe_show_progress(run);
      }
      pthread_mutex_unlock(&run->lock);
    }
    if (fe_interrupted) {
      return fe_run_fail(run, "interrupted after %lld elements", (long long)before);
    }
    if (chunk != NULL && chunk->wrong != NULL) {
      return fe_run_fail(run, "%s", chunk->wrong);
    }
    if (chunk != NULL) {
      count = chunk->count;
      last = chunk->last;
    } else {
      count = fe_pace_next(&run->pace, run->used);
      count = count < width - before ? count : width - before;
      last = before + count == width;
    }
    int code = fe_run_elements(run, step, chunk, frame, before, 0, count, zeros, chunk == NULL ? zeros : chunk->totals, last);
    before += count;
    if (code != 0) {
      return code;
    }
    const struct fe_result *lost = fe_lost_result(run);
    if (lost != NULL) {
      return FUTHARK_PROGRAM_ERROR;
    }
    if (chunk != NULL) {
      pthread_mutex_lock(&run->lock);
      chunk->full = false;
      fe_signal(run);
      pthread_mutex_unlock(&run->lock);
    }
    fe_show_progress(run);
  }
  return 0;
}

// Starts a thread that leaves signals to others.
static int fe_start_thread(pthread_t *thread, void *(*start)(void *), struct fe_run *run) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int failed = pthread_create(thread, NULL, start, run);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return failed;
}

// The most memory that the program has had, as the system counts it, in kilobytes; -1 if it does not say.
static long fe_peak_memory(void) {
  long peak = -1;
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "VmHWM: %ld kB", &peak) == 1) {
      break;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return peak;
}

static void fe_report_pass(const struct fe_run *run, int64_t time) {
  const struct fe_pace *pace = &run->pace;
  uint64_t bytes = 0;
  for (int i = 0; i < run->pass->num_sources; i++) {
    bytes += fe_source_bytes(&run->sources[run->pass->sources[i]]);
  }
  char read[32], rate[32], budget[32];
  fe_show_bytes(read, sizeof read, (double)bytes);
  fe_show_bytes(rate, sizeof rate, (double)bytes / ((double)time / 1e9));
  fe_show_bytes(budget, sizeof budget, (double)pace->budget);
  fprintf(stderr, "pass: %lld elements in %lld chunks of %lld to %lld, %lld repeated; %s in %.3f s (%s/s); %.1f bytes of arrays for an element, budget %s\n",
          (long long)pace->elements, (long long)pace->chunks, (long long)pace->smallest, (long long)pace->largest,
          (long long)pace->retries, read, (double)time / 1e9, rate, pace->need, budget);
}

// Executes a pass.
static int fe_run_pass(struct fe_run *run, const struct fe_step *step) {
  int columns = 0, parts = step->num_states, width = step->num_args + 3 + step->num_states;
  double read = step->num_sources == 0 ? 8 : 0;
  run->pass = step;
  run->stop = false;
  for (int i = 0; i < step->num_sources; i++) {
    struct fe_source *source = &run->sources[step->sources[i]];
    columns += source->sequence->num_columns;
    read += source->sequence->pieces ? 64 : (double)source->record;
    if (source->position > 0 || source->at > 0) {
      fe_source_rewind(source);
    }
  }
  for (int s = 0; s < step->num_sinks; s++) {
    parts += 1 + step->sinks[s].num_parts;
    run->slots[step->sinks[s].count].scalar.i64 = 0;
    run->slots[step->sinks[s].count].known = true;
  }
  width += columns + step->num_sources;
  fe_pace_start(&run->pace, run->chunk, run->limit, read);
  fe_pool_settle(fe_pool_of(run->ctx));
  run->used = fe_pool_of(run->ctx)->used;
  struct fe_call_frame frame = {calloc((size_t)width + 1, sizeof *frame.in), calloc((size_t)parts + 1, sizeof *frame.out),
                                calloc((size_t)parts + 1, sizeof *frame.fresh), calloc((size_t)width + 1, sizeof *frame.own), 0};
  bool room = frame.in != NULL && frame.out != NULL && frame.fresh != NULL && frame.own != NULL;
  for (int i = 0; i < 2; i++) {
    memset(&run->chunks[i], 0, sizeof run->chunks[i]);
    run->chunks[i].columns = calloc((size_t)columns + 1, sizeof(struct fe_buffer));
    run->chunks[i].totals = calloc((size_t)step->num_sources + 1, sizeof(int64_t));
    room = room && run->chunks[i].columns != NULL && run->chunks[i].totals != NULL;
  }
  pthread_t reader, writer;
  int64_t start = fe_now();
  run->started = start;
  bool reading = room && step->num_sources > 0 && fe_start_thread(&reader, fe_reader, run) == 0;
  bool writing = room && fe_start_thread(&writer, fe_writer, run) == 0;
  int code = !room || !writing || (step->num_sources > 0 && !reading)
                 ? fe_run_fail(run, "cannot start threads: there is not enough memory")
                 : fe_run_chunks(run, step, &frame);
  for (int i = 0; i < 2 && writing; i++) {
    fe_written_wait(run, &run->written[i]);
  }
  if (fe_interrupted) {
    // A thread may wait for a file that never comes. All that is left is to close files and to exit.
    return code != 0 ? code : fe_run_fail(run, "interrupted after %lld elements", (long long)run->pace.elements);
  }
  pthread_mutex_lock(&run->lock);
  run->stop = true;
  fe_signal(run);
  pthread_mutex_unlock(&run->lock);
  if (writing) {
    pthread_join(writer, NULL);
  }
  if (reading) {
    pthread_join(reader, NULL);
  }
  if (run->progress && run->shown > 0) {
    fprintf(stderr, "\r%60s\r", "");
  }
  if (run->report && code == 0) {
    fe_report_pass(run, fe_now() - start);
  }
  for (int i = 0; i < 2; i++) {
    fe_written_empty(run, &run->written[i]);
    for (int c = 0; c < FE_MAX_COLUMNS; c++) {
      free(run->written[i].buffers[c].data);
      run->written[i].buffers[c] = (struct fe_buffer){0};
    }
    for (int c = 0; c < columns && run->chunks[i].columns != NULL; c++) {
      free(run->chunks[i].columns[c].data);
    }
    free(run->chunks[i].columns);
    free(run->chunks[i].totals);
  }
  for (int i = 0; i < width && room; i++) {
    fe_free(run->ctx, &frame.own[i].mem);
  }
  free(frame.in);
  free(frame.out);
  free(frame.fresh);
  free(frame.own);
  return code != 0 || fe_lost_result(run) == NULL ? code : FUTHARK_PROGRAM_ERROR;
}

// Executes all steps.
static int fe_run_steps(struct fe_run *run) {
  int code = 0;
  for (int i = 0; i < run->streaming->num_steps && code == 0; i++) {
    const struct fe_step *step = &run->streaming->steps[i];
    code = step->pass ? fe_run_pass(run, step) : fe_run_call(run, step);
  }
  if (run->report) {
    fprintf(stderr, "peak memory: %ld kB\n", fe_peak_memory());
  }
  return code;
}
