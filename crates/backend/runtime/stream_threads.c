// The run of an entry point on sequences: what its threads share, reading, writing, and the progress.
//
// While a chunk is computed, one thread reads the next one, and another writes the results of the one before. They only touch files and
// buffers; the context belongs to the thread that computes.

// A chunk that is read, or waits to be computed.
struct fe_chunk {
  struct fe_buffer *columns; // of all sources, one after the other
  int64_t *totals;           // for each source the number of values, if its elements differ in size
  int64_t count;
  double bytes;
  bool full, last;
  const char *wrong; // NULL: nothing
#ifdef FE_GPU
  void *sent; // the event that the copies on the device are there; NULL: there are none
#endif
};

// Elements that wait to be written.
struct fe_written {
  struct fe_result *result;
  unsigned char *data[FE_MAX_COLUMNS];
  struct fe_mem mem[FE_MAX_COLUMNS];         // on processors, where the data is
  struct fe_buffer buffers[FE_MAX_COLUMNS];  // on devices
  int64_t count, total;
  bool full;
};

// Where the time of a pass goes, in nanoseconds.
struct fe_times {
  // Of the thread that computes: that, and waiting for a chunk to be read, for it to arrive on the device, and for results to be written.
  int64_t computing, unread, arriving, unwritten;
  // Of the thread that reads: that, and waiting for a chunk to be computed.
  int64_t reading, uncomputed;
};

struct fe_run {
  struct fe_steps steps;
  struct fe_held *columns; // the arrays of a chunk
  struct fe_source *sources;
  struct fe_result *results;
  int64_t limit, chunk; // bytes for the whole run, elements; 0: as it is best
  bool bounded;         // whether the limit is the user's
  bool report, progress;
  // What threads share. A chunk is full or not, and so is what is written: whoever changes that says so.
  pthread_mutex_t lock;
  pthread_cond_t change;
  bool stop;
  const struct fe_step *pass;
  struct fe_pace pace;
  int64_t used; // bytes of arrays, for the reader
  struct fe_chunk chunks[FE_CHUNKS];
  struct fe_team team;
#ifdef FE_GPU
  struct fe_courier courier;
#endif
  struct fe_times times;
  struct fe_written written[2];
  int turn; // of what is written
  int64_t started, shown;
  char message[FE_MESSAGE_SIZE * 2];
};

static volatile sig_atomic_t fe_interrupted;

static void fe_interrupt(int signal) {
  (void)signal;
  fe_interrupted = 1;
}

static void fe_signal(struct fe_run *run) {
  pthread_cond_broadcast(&run->change);
}

// Waits for a change, at most for a moment.
static void fe_pause_run(struct fe_run *run) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  pthread_cond_timedwait(&run->change, &run->lock, &until);
}

// ---- Reading ----

// Whether a source has nothing more; asked by reading on.
static bool fe_source_over(struct fe_source *source, bool *over) {
  struct fe_buffer none[FE_MAX_COLUMNS] = {{0}};
  int64_t more, total;
  bool end, fine = fe_source_read(source, none, 1, SIZE_MAX, &more, &total, &end);
  *over = more == 0;
  for (int c = 0; c < FE_MAX_COLUMNS; c++) {
    fe_buffer_free(&none[c]);
  }
  return fine;
}

// How many columns the sources of the pass have.
static int fe_pass_columns(const struct fe_run *run) {
  int columns = 0;
  for (int i = 0; i < run->pass->num_sources; i++) {
    columns += run->sources[run->pass->sources[i]].sequence->num_columns;
  }
  return columns;
}

// Fills a chunk from all sources of the pass; NULL, or what is wrong.
static const char *fe_chunk_read(struct fe_run *run, struct fe_chunk *chunk, int64_t want, size_t most) {
  const struct fe_step *pass = run->pass;
#ifdef FE_GPU
  for (int c = 0; c < fe_pass_columns(run); c++) {
    chunk->columns[c].delivered = false;
  }
#endif
  int64_t count = -1;
  bool ended = false, ends[FE_MAX_COLUMNS];
  double bytes = 0;
  // Those whose elements differ in size come first: they say how many elements there can be.
  for (int round = 0; round < 2; round++) {
    struct fe_buffer *columns = chunk->columns;
    for (int i = 0; i < pass->num_sources; i++) {
      struct fe_source *source = &run->sources[pass->sources[i]];
      const struct fe_sequence *sequence = source->sequence;
      if (sequence->pieces == (round == 0)) {
        int64_t got;
        bool first = count < 0;
        if (!fe_source_read(source, columns, first ? want : count, first ? most : SIZE_MAX, &got, &chunk->totals[i], &ends[i])) {
          return source->message;
        }
        if (!first && got < count) {
          fe_source_fail(source, "sequences that are read in step have different lengths: \"%s\" ends before another",
                         sequence->name);
          return source->message;
        }
        count = got;
        ended = ended || ends[i];
        for (int c = 0; c < sequence->num_columns; c++) {
          bytes += (double)(sequence->pieces && c > 0 ? chunk->totals[i] : got) * (double)source->widths[c];
        }
      }
      columns += sequence->num_columns;
    }
  }
  for (int i = 0; i < pass->num_sources && ended; i++) {
    struct fe_source *source = &run->sources[pass->sources[i]];
    if (!ends[i] && !fe_source_over(source, &ends[i])) {
      return source->message;
    }
    if (!ends[i]) {
      fe_source_fail(source, "sequences that are read in step have different lengths: \"%s\" ends after another",
                     source->sequence->name);
      return source->message;
    }
  }
  chunk->count = count;
  chunk->last = ended;
  chunk->bytes = bytes;
  return NULL;
}

#ifdef FE_GPU
// Sends a chunk to the device, which may be busy. What does not get there is copied when it is needed. NULL, or what is wrong.
static const char *fe_chunk_send(struct fe_run *run, struct fe_chunk *chunk) {
  struct fe_buffer *buffer = chunk->columns;
  bool any = false, delivered = false;
  for (int i = 0; i < run->pass->num_sources; i++) {
    const struct fe_source *source = &run->sources[run->pass->sources[i]];
    for (int c = 0; c < source->sequence->num_columns; c++, buffer++) {
      int64_t elements = source->sequence->pieces && c > 0 ? chunk->totals[i] : chunk->count;
      size_t bytes = (size_t)elements * source->widths[c];
      buffer->sent = buffer->delivered
                     || (bytes > 0 && buffer->reached && fe_buffer_want_device(buffer, bytes)
                         && fe_driver_send(run->steps.ctx, buffer->device, buffer->data, bytes));
      any = any || buffer->sent;
      delivered = delivered || buffer->delivered;
    }
  }
  chunk->sent = any ? fe_driver_sent(run->steps.ctx) : NULL;
  // If nobody can know when it arrives, it is as if nothing were sent.
  for (buffer--; any && chunk->sent == NULL && buffer >= chunk->columns; buffer--) {
    buffer->sent = false;
  }
  return delivered && chunk->sent == NULL ? "the device fails: nothing can be copied to it" : NULL;
}
#endif

static void *fe_reader(void *argument) {
  struct fe_run *run = argument;
  for (int turn = 0;; turn = (turn + 1) % FE_CHUNKS) {
    struct fe_chunk *chunk = &run->chunks[turn];
    int64_t start = fe_now();
    pthread_mutex_lock(&run->lock);
    while (chunk->full && !run->stop) {
      pthread_cond_wait(&run->change, &run->lock);
    }
    bool stop = run->stop;
    int64_t want = fe_pace_next(&run->pace, run->used);
    size_t most = (size_t)((double)want * run->pace.read) + 1;
    most = run->pace.fixed > 0 ? SIZE_MAX : most;
    pthread_mutex_unlock(&run->lock);
    if (stop) {
      return NULL;
    }
    int64_t begun = fe_now();
    const char *wrong = fe_chunk_read(run, chunk, want, most);
#ifdef FE_GPU
    wrong = wrong == NULL ? fe_chunk_send(run, chunk) : wrong;
#endif
    pthread_mutex_lock(&run->lock);
    run->times.uncomputed += begun - start;
    run->times.reading += fe_now() - begun;
    chunk->full = true;
    chunk->wrong = wrong;
    if (wrong == NULL && chunk->count > 0) {
      run->pace.read = chunk->bytes / (double)chunk->count;
      run->pace.read = run->pace.read < 1 ? 1 : run->pace.read;
    }
    bool over = wrong != NULL || chunk->last;
    fe_signal(run);
    pthread_mutex_unlock(&run->lock);
    if (over) {
      return NULL;
    }
  }
}

// ---- Writing ----

static void *fe_writer(void *argument) {
  struct fe_run *run = argument;
  for (int turn = 0;; turn ^= 1) {
    struct fe_written *written = &run->written[turn];
    pthread_mutex_lock(&run->lock);
    while (!written->full && !run->stop) {
      pthread_cond_wait(&run->change, &run->lock);
    }
    bool stop = !written->full;
    pthread_mutex_unlock(&run->lock);
    if (stop) {
      return NULL;
    }
    fe_result_write(written->result, written->data, written->count, written->total);
    pthread_mutex_lock(&run->lock);
    written->full = false;
    fe_signal(run);
    pthread_mutex_unlock(&run->lock);
  }
}

static void fe_written_empty(struct fe_run *run, struct fe_written *written) {
  for (int c = 0; c < FE_MAX_COLUMNS; c++) {
    fe_free(run->steps.ctx, &written->mem[c]);
  }
}

// Waits until something can be written, or until everything has been.
static void fe_written_wait(struct fe_run *run, struct fe_written *written) {
  int64_t start = fe_now();
  pthread_mutex_lock(&run->lock);
  while (written->full && !fe_interrupted) {
    fe_pause_run(run);
  }
  run->times.unwritten += fe_now() - start;
  pthread_mutex_unlock(&run->lock);
}

// ---- Progress ----

static void fe_show_bytes(char *out, size_t size, double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; unit++) {
    bytes /= 1024;
  }
  snprintf(out, size, "%.3g %s", bytes, units[unit]);
}

static void fe_show_progress(struct fe_run *run) {
  int64_t now = fe_now();
  if (!run->progress || now - run->started < 1000000000 || now - run->shown < 200000000) {
    return;
  }
  run->shown = now;
  uint64_t bytes = 0, size = 0;
  for (int i = 0; i < run->pass->num_sources; i++) {
    const struct fe_source *source = &run->sources[run->pass->sources[i]];
    bytes += fe_source_bytes(source);
    size += source->size;
  }
  double seconds = (double)(now - run->started) / 1e9;
  char done[32], all[32], rate[32];
  fe_show_bytes(done, sizeof done, (double)bytes);
  fe_show_bytes(all, sizeof all, (double)size);
  fe_show_bytes(rate, sizeof rate, (double)bytes / seconds);
  if (size > bytes) {
    fprintf(stderr, "\r%s of %s, %s/s, %.0f s left   ", done, all, rate, seconds * (double)(size - bytes) / (double)bytes);
  } else {
    fprintf(stderr, "\r%s, %s/s   ", done, rate);
  }
}
