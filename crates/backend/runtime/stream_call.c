// Calls of entry points on sequences, in libraries: whoever calls has functions for its sequences. After stream_feed.c.
//
// A device gets a chunk while it computes the one before: each source is asked for its next chunk, which is sent, before the one that it has given is
// computed. Its memory is the source's own again by then, because the copy has arrived. If the device reaches that memory, nothing else copies it.

// What is left of a chunk that a source has given.
struct fe_pulled {
  struct futhark_chunk chunk;
  int64_t at, values;
  bool ended;
#ifdef FE_GPU
  bool there;                           // on the device, once the event has happened
  void *sent;                           // NULL: it has
  unsigned char *device[FE_MAX_PARTS];
  int64_t capacities[FE_MAX_PARTS];
#endif
};

// The chunk of a source, and the next one.
struct fe_pulling {
  struct fe_pulled now;
#ifdef FE_GPU
  struct fe_pulled next;
  bool ahead; // there is a next one
#endif
};

struct fe_called {
  const struct fe_push *pushes;
};

static int fe_called_take(void *state, int result, const struct futhark_chunk *chunk) {
  const struct fe_push *push = &((const struct fe_called *)state)->pushes[result];
  return push->sink == NULL ? 0 : push->sink(push->state, chunk);
}

// How many elements a source is asked for.
static int64_t fe_wanted(const struct fe_steps *steps, const struct fe_sequence *sequence) {
  int64_t bytes = sequence->pieces ? 64 : 0;
  for (int c = 0; c < sequence->num_columns && !sequence->pieces; c++) {
    int64_t width = fe_column_width(steps, &sequence->columns[c]);
    bytes += width < 0 ? 64 : width;
  }
  return bytes >= FE_FED_BYTES ? 1 : FE_FED_BYTES / (bytes < 1 ? 1 : bytes);
}

static int fe_pull_more(struct fe_feeding *feeding, int number, const struct fe_pull *pull, struct fe_pulled *pulled) {
  const struct fe_sequence *sequence = &feeding->steps.streaming->sources[number];
  pulled->at = pulled->values = 0;
  memset(&pulled->chunk, 0, sizeof pulled->chunk);
  int given = pull->source(pull->state, fe_wanted(&feeding->steps, sequence), &pulled->chunk);
  if (given != 0 || pulled->chunk.count < 0 || (pulled->chunk.count > 0 && pulled->chunk.columns == NULL)) {
    return fe_fail(feeding->steps.ctx, FUTHARK_PROGRAM_ERROR, "the source of \"%s\" failed after %lld elements: code %d", sequence->name,
                   (long long)feeding->before, given);
  }
  pulled->ended = pulled->chunk.count == 0;
  return fe_feeding_sizes(feeding, number, &pulled->chunk);
}

#ifdef FE_GPU
static void fe_pulled_await(struct futhark_context *ctx, struct fe_pulled *pulled) {
  if (pulled->sent != NULL) {
    fe_driver_arrived(ctx, pulled->sent);
    pulled->sent = NULL;
  }
}

static void fe_pulled_free(struct futhark_context *ctx, struct fe_pulled *pulled) {
  fe_pulled_await(ctx, pulled);
  for (int c = 0; c < FE_MAX_PARTS; c++) {
    if (pulled->device[c] != NULL) {
      fe_driver_free(ctx, pulled->device[c]);
    }
  }
}

// Sends a chunk to the device. If that is not possible, then it is copied when it is computed.
static void fe_pulled_send(struct fe_feeding *feeding, int number, struct fe_pulled *pulled) {
  struct futhark_context *ctx = feeding->steps.ctx;
  const struct fe_sequence *sequence = &feeding->steps.streaming->sources[number];
  pulled->there = false;
  bool all = pulled->chunk.count > 0;
  for (int c = 0; c < sequence->num_columns && all; c++) {
    int64_t bytes = pulled->chunk.count * fe_column_width(&feeding->steps, &sequence->columns[c]);
    if (bytes > pulled->capacities[c]) {
      if (pulled->device[c] != NULL) {
        fe_driver_free(ctx, pulled->device[c]);
      }
      pulled->device[c] = fe_driver_alloc(ctx, bytes);
      pulled->capacities[c] = pulled->device[c] == NULL ? 0 : bytes;
    }
    all = bytes > 0 && pulled->device[c] != NULL && fe_driver_send(ctx, pulled->device[c], pulled->chunk.columns[c], (size_t)bytes);
  }
  pulled->sent = fe_driver_sent(ctx);
  pulled->there = all && pulled->sent != NULL;
}

// Whether the chunks of a pass are sent ahead. The sizes of pieces are needed here, where they no longer are by then.
static bool fe_pass_ahead(const struct fe_feeding *feeding) {
  bool ahead = true;
  for (int i = 0; i < feeding->pass->num_sources; i++) {
    ahead = ahead && !feeding->steps.streaming->sources[feeding->pass->sources[i]].pieces;
  }
  return ahead;
}
#endif

// The next chunk of a source, if it has one.
static int fe_pull_next(struct fe_feeding *feeding, int number, const struct fe_pull *pull, struct fe_pulling *pulling) {
#ifdef FE_GPU
  if (pulling->ahead) {
    struct fe_pulled done = pulling->now;
    pulling->now = pulling->next;
    pulling->next = done;
    pulling->ahead = false;
    return 0;
  }
  fe_pulled_await(feeding->steps.ctx, &pulling->now);
  pulling->now.there = false;
#endif
  return fe_pull_more(feeding, number, pull, &pulling->now);
}

#ifdef FE_GPU
// Before `count` elements of the chunk of a source are computed: it is on the device, and the next one on its way.
static int fe_pull_ahead(struct fe_feeding *feeding, int index, int64_t count, const struct fe_pull *pulls, struct fe_pulling *all) {
  int number = feeding->pass->sources[index], code = 0;
  struct fe_pulling *pulling = &all[number];
  struct fe_pulled *now = &pulling->now;
  if (!now->there && now->at == 0) {
    fe_pulled_send(feeding, number, now);
  }
  fe_pulled_await(feeding->steps.ctx, now);
  feeding->sent[index] = now->there ? now->device : NULL;
  if (now->there && !pulling->ahead && now->at + count == now->chunk.count) {
    code = fe_pull_more(feeding, number, &pulls[number], &pulling->next);
    pulling->ahead = code == 0;
    if (code == 0) {
      fe_pulled_send(feeding, number, &pulling->next);
    }
  }
  return code;
}
#endif

// Executes the pass that wants chunks.
static int fe_pull_pass(struct fe_feeding *feeding, const struct fe_pull *pulls, struct fe_pulling *all) {
  const struct fe_step *pass = feeding->pass;
  struct futhark_context *ctx = feeding->steps.ctx;
#ifdef FE_GPU
  bool ahead = fe_pass_ahead(feeding);
  memset(feeding->sent, 0, sizeof feeding->sent);
#endif
  for (int i = 0; i < pass->num_sources; i++) {
    int number = pass->sources[i];
    const char *name = feeding->steps.streaming->sources[number].name;
    if (feeding->used[number]) {
      struct futhark_chunk none = {0};
      if (pulls[number].source(pulls[number].state, 0, &none) != 0) {
        return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the sequence \"%s\" is read more than once, which its source does not allow", name);
      }
      struct fe_pulled *now = &all[number].now;
      now->chunk.count = now->at = 0;
      now->ended = false;
#ifdef FE_GPU
      all[number].ahead = false;
#endif
    }
    feeding->used[number] = true;
  }
  for (;;) {
    struct futhark_chunk chunks[FE_MAX_SEQUENCES];
    int64_t from[FE_MAX_SEQUENCES], values[FE_MAX_SEQUENCES], count = INT64_MAX;
    int ended = 0;
    for (int i = 0; i < pass->num_sources; i++) {
      struct fe_pulled *pulled = &all[pass->sources[i]].now;
      if (pulled->at == pulled->chunk.count && !pulled->ended) {
        int code = fe_pull_next(feeding, pass->sources[i], &pulls[pass->sources[i]], &all[pass->sources[i]]);
        if (code != 0) {
          return code;
        }
      }
      chunks[i] = pulled->chunk;
      from[i] = pulled->at;
      values[i] = pulled->values;
      count = pulled->chunk.count - pulled->at < count ? pulled->chunk.count - pulled->at : count;
      ended += pulled->ended;
    }
    if (ended == pass->num_sources) {
#ifdef FE_GPU
      memset(feeding->sent, 0, sizeof feeding->sent);
#endif
      return fe_feed_end(feeding);
    }
    if (ended > 0) {
      return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "sequences that are read in step have different lengths: one ends after %lld elements, another does not",
                     (long long)feeding->before);
    }
    int code = 0;
#ifdef FE_GPU
    for (int i = 0; i < pass->num_sources && ahead && code == 0; i++) {
      code = fe_pull_ahead(feeding, i, count, pulls, all);
    }
#endif
    code = code == 0 ? fe_feed_chunk(feeding, chunks, from, count, values) : code;
    if (code != 0) {
      return code;
    }
    for (int i = 0; i < pass->num_sources; i++) {
      all[pass->sources[i]].now.at += count;
      all[pass->sources[i]].now.values = values[i];
    }
  }
}

// Executes an entry point. `params` are its parts, without those of sequences; they are moved. The results are moved to the caller; those that are
// sequences are empty, because they were given away.
FE_SHARED int fe_stream_call(struct futhark_context *ctx, const struct fe_streaming *streaming, struct fe_held *params, const struct fe_pull *pulls,
                             const struct fe_push *pushes, struct fe_held *results) {
  struct fe_feeding feeding;
  struct fe_called called = {pushes};
  struct fe_pulling all[FE_MAX_SEQUENCES] = {0};
  int code = fe_feeding_open(&feeding, ctx, streaming, fe_called_take, &called);
  if (code != 0) {
    return code;
  }
  for (int p = 0; p < streaming->num_params && code == 0; p++) {
    code = streaming->param_slots[p] < 0 ? 0 : fe_feeding_argument(&feeding, p, &params[p]);
  }
  // The first chunks may tell sizes that are needed before.
  for (int i = 0; i < streaming->num_sources && code == 0; i++) {
    code = fe_pull_more(&feeding, i, &pulls[i], &all[i].now);
  }
  code = code == 0 ? fe_feeding_go_on(&feeding) : code;
  while (code == 0 && feeding.pass != NULL) {
    code = fe_pull_pass(&feeding, pulls, all);
  }
  code = code == 0 ? fe_feeding_rest(&feeding) : code;
  for (int p = 0; p < streaming->num_parts && code == 0; p++) {
    struct fe_held *slot = streaming->part_slots[p] < 0 ? NULL : &feeding.steps.slots[streaming->part_slots[p]];
    if (slot != NULL && fe_sink_of(streaming, p) < 0) {
      // Another part may be the same.
      results[p] = *slot;
      results[p].mem = (struct fe_mem){0};
      fe_share(ctx, &results[p].mem, &slot->mem, 0);
      code = streaming->parts[p].rank == 0 ? 0 : fe_part_own(ctx, &results[p], fe_part_bytes(&results[p], &streaming->parts[p]));
    }
  }
  for (int p = 0; p < streaming->num_params; p++) {
    fe_free(ctx, &params[p].mem);
  }
#ifdef FE_GPU
  for (int i = 0; i < streaming->num_sources; i++) {
    fe_pulled_free(ctx, &all[i].now);
    fe_pulled_free(ctx, &all[i].next);
  }
#endif
  fe_feeding_free(&feeding);
  return code;
}
