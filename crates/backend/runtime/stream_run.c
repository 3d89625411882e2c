// The run of an executable: chunks of the files that are read, one after the other, and what comes of them.
//
// On processors, the arrays of a chunk are the buffers that it was read into.

// Hands the arrays of sinks to the writer.
static int fe_hand_over(struct fe_steps *steps, const struct fe_step *step, struct fe_held *parts) {
  struct fe_run *run = steps->state;
  for (int s = 0; s < step->num_sinks; s++) {
    const struct fe_sink *sink = &step->sinks[s];
    if (sink->out < 0 || sink->column > 0) {
      continue; // the values of pieces come with their sizes
    }
    struct fe_result *result = &run->results[sink->out];
    struct fe_written *written = &run->written[run->turn];
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
          return fe_fail(run->steps.ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory for results");
        }
        int code = fe_copy_out(run->steps.ctx, written->buffers[column].data, &part->mem, 0, bytes);
        written->data[column] = written->buffers[column].data;
#else
        int code = fe_part_own(run->steps.ctx, part, bytes);
        fe_share(run->steps.ctx, &written->mem[column], &part->mem, 0);
        written->data[column] = written->mem[column].data;
#endif
        if (code != 0) {
          return code;
        }
      }
    }
#ifdef FE_GPU
    int code = futhark_context_sync(run->steps.ctx);
    if (code != 0) {
      return code;
    }
#endif
    pthread_mutex_lock(&run->lock);
    written->full = true;
    fe_signal(run);
    pthread_mutex_unlock(&run->lock);
    run->turn ^= 1;
    if (result->failed) {
      return 0;
    }
  }
  return 0;
}

// Executes a step for some elements of a chunk.
static int fe_run_part(struct fe_run *run, const struct fe_step *step, const struct fe_chunk *chunk, int64_t before, int64_t from,
                       int64_t count, const int64_t *offsets, const int64_t *totals, bool last) {
  struct futhark_context *ctx = run->steps.ctx;
  struct fe_held *own = run->columns;
  int code = 0;
  const struct fe_buffer *buffer = chunk == NULL ? NULL : chunk->columns;
  for (int i = 0; i < step->num_sources && code == 0; i++) {
    const struct fe_source *source = &run->sources[step->sources[i]];
    const struct fe_sequence *sequence = source->sequence;
    for (int c = 0; c < sequence->num_columns && code == 0; c++, buffer++, own++) {
      bool values = sequence->pieces && c > 0;
      const struct fe_column *column = &sequence->columns[c];
      own->shape[0] = values ? totals[i] : count;
      for (int d = 1; d < column->rank; d++) {
        own->shape[d] = fe_column_size(&run->steps, column, d);
      }
      size_t at = (size_t)(values ? offsets[i] : from) * source->widths[c];
      fe_free(ctx, &own->mem);
#ifdef FE_GPU
      if (buffer->sent) {
        own->mem.data = buffer->device + at;
        continue;
      }
      int64_t sizes[FE_PART_RANK];
      memcpy(sizes, own->shape, sizeof sizes);
      static const unsigned char nothing[8];
      code = fe_make_array(ctx, &own->mem, own->shape, sizes, column->rank, (int64_t)column->prim->size,
                           buffer->data == NULL ? nothing : buffer->data + at);
#else
      own->mem.data = buffer->data == NULL ? NULL : buffer->data + at;
#endif
    }
  }
  return code != 0 ? code : fe_steps_chunk(&run->steps, step, run->columns, totals, before + from, count, last);
}

// Likewise, in halves if memory is short.
static int fe_run_elements(struct fe_run *run, const struct fe_step *step, const struct fe_chunk *chunk, int64_t before,
                           int64_t from, int64_t count, const int64_t *offsets, const int64_t *totals, bool last) {
  fe_pool_settle(fe_pool_of(run->steps.ctx));
  struct fe_pool *pool = fe_pool_of(run->steps.ctx);
  int64_t used = pool->used, start = fe_now();
  pool->recent = used;
  if (run->bounded) {
    // What chunks are read into is not in the pool.
    int64_t read = (int64_t)fe_pace_reading(run->pace.read, (double)count);
    pool->limit = run->limit > read ? run->limit - read : 1;
  }
#ifdef FE_GPU
  // What others hold is evicted, but half of a chunk at a time is better than to evict what this one has made.
  struct fe_gpu *gpu = &run->steps.ctx->gpu;
  gpu->spared = count > 1 ? gpu->request + 1 : 0;
#endif
  int code = fe_run_part(run, step, chunk, before, from, count, offsets, totals, last);
#ifdef FE_GPU
  gpu->spared = 0;
#endif
  fe_pool_settle(pool);
  int64_t needed = pool->recent - used, now = pool->used;
  if (code != FUTHARK_OUT_OF_MEMORY || count <= 1) {
    pthread_mutex_lock(&run->lock);
    run->used = now;
    bool other = fe_pace_learn(&run->pace, count, fe_now() - start, needed);
    pthread_mutex_unlock(&run->lock);
#ifndef FE_GPU
    if (other) {
      // Blocks of the old size would be in the way of those of the new one.
      fe_pool_trim(pool);
    }
#else
    (void)other;
#endif
    return code;
  }
  fe_forget_error(run->steps.ctx);
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
  code = fe_run_elements(run, step, chunk, before, from, half, offsets, first, false);
  return code != 0 ? code
                   : fe_run_elements(run, step, chunk, before, from + half, count - half, middle, second, last);
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
  for (int i = 0; i < run->steps.streaming->num_sinks; i++) {
    if (run->results[i].failed) {
      return &run->results[i];
    }
  }
  return NULL;
}

static int fe_run_chunks(struct fe_run *run, const struct fe_step *step) {
  static const int64_t zeros[FE_MAX_COLUMNS] = {0};
  int64_t before = 0, width = step->width >= 0 ? run->steps.slots[step->width].scalar.i64 : 0;
  bool last = false;
  for (int turn = 0; !last; turn = (turn + 1) % FE_CHUNKS) {
    struct fe_chunk *chunk = step->num_sources > 0 ? &run->chunks[turn] : NULL;
    int64_t count;
    int64_t start = fe_now();
    if (chunk != NULL) {
      pthread_mutex_lock(&run->lock);
      while (!chunk->full && !fe_interrupted) {
        fe_pause_run(run);
        fe_show_progress(run);
      }
      run->times.unread += fe_now() - start;
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
    int code = 0;
#ifdef FE_GPU
    if (chunk != NULL && chunk->sent != NULL) {
      start = fe_now();
      if (run->report) {
        fe_driver_arrived(run->steps.ctx, chunk->sent); // so that this time is known
      } else {
        code = fe_driver_follow(run->steps.ctx, chunk->sent);
      }
      run->times.arriving += fe_now() - start;
      chunk->sent = NULL;
    }
    if (code != 0) {
      return code;
    }
#endif
    start = fe_now();
    code = fe_run_elements(run, step, chunk, before, 0, count, zeros, chunk == NULL ? zeros : chunk->totals, last);
    run->times.computing += fe_now() - start;
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
  const struct fe_times *times = &run->times;
  // Results are handed over, and waited for, while a chunk is computed.
  fprintf(stderr, "  computing %.3f s, waiting for chunks %.3f s, for the device %.3f s, for what is written %.3f s; reader: reading %.3f s, waiting %.3f s\n",
          (double)(times->computing - times->unwritten) / 1e9, (double)times->unread / 1e9, (double)times->arriving / 1e9,
          (double)times->unwritten / 1e9, (double)times->reading / 1e9, (double)times->uncomputed / 1e9);
#ifdef FE_GPU
  const struct fe_courier *courier = &run->courier;
  if (courier->next > 0) {
    fprintf(stderr, "  to the device in %lld pieces, by %d threads: reading %.3f s, waiting for copies %.3f s together\n",
            (long long)courier->next, run->team.size + 1, (double)courier->reading / 1e9, (double)courier->waiting / 1e9);
  }
#endif
}

// Executes a pass.
static int fe_run_pass(struct fe_run *run, const struct fe_step *step) {
  int columns = 0;
  double read = step->num_sources == 0 ? 8 : 0;
  run->pass = step;
  run->stop = false;
  run->turn = 0;
  for (int i = 0; i < step->num_sources; i++) {
    struct fe_source *source = &run->sources[step->sources[i]];
    columns += source->sequence->num_columns;
    read += source->sequence->pieces ? 64 : (double)source->record;
    if (source->position > 0 || source->at > 0) {
      fe_source_rewind(source);
    }
  }
  fe_steps_begin_pass(&run->steps, step);
#ifdef FE_GPU
  bool delivered = step->num_sources > 0;
  for (int i = 0; i < step->num_sources; i++) {
    const struct fe_source *source = &run->sources[step->sources[i]];
    bool plain = source->size > 0 && source->sequence->num_columns == 1; // a file whose elements have one size
    delivered = delivered && (source->format == FE_MEMORY || plain);
  }
  run->courier.next = run->courier.reading = run->courier.waiting = 0;
  double first = delivered ? FE_DELIVERED_BYTES : FE_FIRST_BYTES, largest = delivered ? FE_DELIVERED_BYTES : FE_LARGEST_BYTES;
#else
  double first = FE_FIRST_BYTES, largest = FE_LARGEST_BYTES;
#endif
  fe_pace_start(&run->pace, run->chunk, run->limit, read, first, largest);
  memset(&run->times, 0, sizeof run->times);
  fe_pool_settle(fe_pool_of(run->steps.ctx));
  run->used = fe_pool_of(run->steps.ctx)->used;
  run->columns = calloc((size_t)columns + 1, sizeof *run->columns);
  bool room = run->columns != NULL;
  for (int i = 0; i < FE_CHUNKS; i++) {
    memset(&run->chunks[i], 0, sizeof run->chunks[i]);
    run->chunks[i].columns = calloc((size_t)columns + 1, sizeof(struct fe_buffer));
    run->chunks[i].totals = calloc((size_t)step->num_sources + 1, sizeof(int64_t));
    room = room && run->chunks[i].columns != NULL && run->chunks[i].totals != NULL;
#ifdef FE_GPU
    for (int c = 0; c < columns && run->chunks[i].columns != NULL; c++) {
      run->chunks[i].columns[c].ctx = run->steps.ctx;
    }
#endif
  }
#ifdef FE_GPU
  for (int i = 0; i < 2 * FE_MAX_COLUMNS; i++) {
    run->written[i % 2].buffers[i / 2].ctx = run->steps.ctx;
  }
#endif
  pthread_t reader, writer;
  int64_t start = fe_now();
  run->started = start;
  bool reading = room && step->num_sources > 0 && fe_start_thread(&reader, fe_reader, run) == 0;
  bool writing = room && fe_start_thread(&writer, fe_writer, run) == 0;
  int code = !room || !writing || (step->num_sources > 0 && !reading)
                 ? fe_run_fail(run, "cannot start threads: there is not enough memory")
                 : fe_run_chunks(run, step);
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
      fe_buffer_free(&run->written[i].buffers[c]);
    }
  }
  for (int i = 0; i < FE_CHUNKS; i++) {
#ifdef FE_GPU
    // A chunk that nobody has asked for may still be on its way.
    if (run->chunks[i].sent != NULL && fe_driver_follow(run->steps.ctx, run->chunks[i].sent) == 0) {
      fe_driver_wait(run->steps.ctx);
    }
#endif
    for (int c = 0; c < columns && run->chunks[i].columns != NULL; c++) {
      fe_buffer_free(&run->chunks[i].columns[c]);
    }
    free(run->chunks[i].columns);
    free(run->chunks[i].totals);
  }
  for (int c = 0; c < columns && room; c++) {
    fe_free(run->steps.ctx, &run->columns[c].mem);
  }
  free(run->columns);
  run->columns = NULL;
  return code != 0 || fe_lost_result(run) == NULL ? code : FUTHARK_PROGRAM_ERROR;
}

// Executes all steps.
static int fe_run_steps(struct fe_run *run) {
  int code = 0;
  fe_team_start(&run->team);
#ifdef FE_GPU
  fe_courier_start(&run->courier, run->steps.ctx, &run->team, run->bounded ? run->limit : 0);
#endif
  for (int i = 0; i < run->steps.streaming->num_sources; i++) {
    run->sources[i].team = &run->team;
#ifdef FE_GPU
    run->sources[i].courier = &run->courier;
#endif
  }
  for (int next = 0; next < run->steps.streaming->num_steps && code == 0;) {
    const struct fe_step *step = &run->steps.streaming->steps[next++];
    if (step->jump) {
      next = fe_steps_jump(&run->steps, step, next);
    } else {
      code = step->pass ? fe_run_pass(run, step) : fe_steps_call(&run->steps, step);
    }
    code = code == 0 && fe_interrupted ? fe_run_fail(run, "interrupted") : code;
  }
  if (!fe_interrupted) {
    fe_team_end(&run->team);
#ifdef FE_GPU
    fe_courier_end(&run->courier);
#endif
  }
  if (run->report) {
    fprintf(stderr, "peak memory: %ld kB\n", fe_peak_memory());
  }
  return code;
}
