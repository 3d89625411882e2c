// Calls of entry points on sequences, in libraries: whoever calls has functions for its sequences. After stream_feed.c.

// What is left of the chunk that a source has given last.
struct fe_pulled {
  struct futhark_chunk chunk;
  int64_t at, values;
  bool ended;
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
  memset(pulled, 0, sizeof *pulled);
  int given = pull->source(pull->state, fe_wanted(&feeding->steps, sequence), &pulled->chunk);
  if (given != 0 || pulled->chunk.count < 0 || (pulled->chunk.count > 0 && pulled->chunk.columns == NULL)) {
    return fe_fail(feeding->steps.ctx, FUTHARK_PROGRAM_ERROR, "the source of \"%s\" failed after %lld elements: code %d", sequence->name,
                   (long long)feeding->before, given);
  }
  pulled->ended = pulled->chunk.count == 0;
  return fe_feeding_sizes(feeding, number, &pulled->chunk);
}

// Executes the pass that wants chunks.
static int fe_pull_pass(struct fe_feeding *feeding, const struct fe_pull *pulls, struct fe_pulled *all) {
  const struct fe_step *pass = feeding->pass;
  struct futhark_context *ctx = feeding->steps.ctx;
  for (int i = 0; i < pass->num_sources; i++) {
    int number = pass->sources[i];
    const char *name = feeding->steps.streaming->sources[number].name;
    if (feeding->used[number]) {
      struct futhark_chunk none = {0};
      if (pulls[number].source(pulls[number].state, 0, &none) != 0) {
        return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "the sequence \"%s\" is read more than once, which its source does not allow", name);
      }
      memset(&all[number], 0, sizeof all[number]);
    }
    feeding->used[number] = true;
  }
  for (;;) {
    struct futhark_chunk chunks[FE_MAX_SEQUENCES];
    int64_t from[FE_MAX_SEQUENCES], values[FE_MAX_SEQUENCES], count = INT64_MAX;
    int ended = 0;
    for (int i = 0; i < pass->num_sources; i++) {
      struct fe_pulled *pulled = &all[pass->sources[i]];
      if (pulled->at == pulled->chunk.count && !pulled->ended) {
        int code = fe_pull_more(feeding, pass->sources[i], &pulls[pass->sources[i]], pulled);
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
      return fe_feed_end(feeding);
    }
    if (ended > 0) {
      return fe_fail(ctx, FUTHARK_PROGRAM_ERROR, "sequences that are read in step have different lengths: one ends after %lld elements, another does not",
                     (long long)feeding->before);
    }
    int code = fe_feed_chunk(feeding, chunks, from, count, values);
    if (code != 0) {
      return code;
    }
    for (int i = 0; i < pass->num_sources; i++) {
      all[pass->sources[i]].at += count;
      all[pass->sources[i]].values = values[i];
    }
  }
}

// Executes an entry point. `params` are its parts, without those of sequences; they are moved. The results are moved to the caller; those that are
// sequences are empty, because they were given away.
FE_SHARED int fe_stream_call(struct futhark_context *ctx, const struct fe_streaming *streaming, struct fe_held *params, const struct fe_pull *pulls,
                             const struct fe_push *pushes, struct fe_held *results) {
  struct fe_feeding feeding;
  struct fe_called called = {pushes};
  struct fe_pulled all[FE_MAX_SEQUENCES] = {0};
  int code = fe_feeding_open(&feeding, ctx, streaming, fe_called_take, &called);
  if (code != 0) {
    return code;
  }
  for (int p = 0; p < streaming->num_params && code == 0; p++) {
    code = streaming->param_slots[p] < 0 ? 0 : fe_feeding_argument(&feeding, p, &params[p]);
  }
  // The first chunks may tell sizes that are needed before.
  for (int i = 0; i < streaming->num_sources && code == 0; i++) {
    code = fe_pull_more(&feeding, i, &pulls[i], &all[i]);
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
  fe_feeding_free(&feeding);
  return code;
}
