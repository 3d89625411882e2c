// The steps of entry points on sequences: functions that are called once, and for each chunk. After interface.c.
//
// Whoever has chunks as arrays calls fe_steps_chunk for each of them: the executable, which reads and writes files, libraries, whose callers have
// functions for that, and the server. A chunk for which memory is short can be repeated, because what is held changes only when it has succeeded.

struct fe_steps;

// Who gets the sinks of a chunk: for each of them a number and its arrays, in turn.
typedef int fe_give(struct fe_steps *steps, const struct fe_step *step, struct fe_held *parts);

struct fe_steps {
  struct futhark_context *ctx;
  const struct fe_streaming *streaming;
  struct fe_held *slots;
  int64_t *capacities; // of slots that grow, in bytes
  fe_give *give;
  void *state; // of whoever gets something
  // What calls need: pointers to arguments and results, results, and arguments that are a chunk's own.
  struct fe_held **in, **out, *fresh, *own;
};

static int64_t fe_part_bytes(const struct fe_held *part, const struct fe_column *column) {
  return fe_bytes(fe_volume(part->shape, column->rank), (int64_t)column->prim->size);
}

// How many arguments and results a step has at most.
static int fe_step_width(const struct fe_streaming *streaming, const struct fe_step *step) {
  int in = step->num_args + 3 + step->num_states, out = step->num_results + step->num_states;
  for (int i = 0; i < step->num_sources; i++) {
    in += streaming->sources[step->sources[i]].num_columns + 1;
  }
  for (int s = 0; s < step->num_sinks; s++) {
    out += 1 + step->sinks[s].num_parts;
  }
  return in > out ? in : out;
}

static int fe_step_results(const struct fe_step *step) {
  int results = step->num_states;
  for (int s = 0; s < step->num_sinks; s++) {
    results += 1 + step->sinks[s].num_parts;
  }
  return results;
}

static void fe_steps_free(struct fe_steps *steps) {
  for (int i = 0; i < steps->streaming->num_slots && steps->slots != NULL; i++) {
    fe_free(steps->ctx, &steps->slots[i].mem);
  }
  free(steps->slots);
  free(steps->capacities);
  free(steps->in);
  free(steps->out);
  free(steps->fresh);
  free(steps->own);
}

static int fe_steps_init(struct fe_steps *steps, struct futhark_context *ctx, const struct fe_streaming *streaming) {
  memset(steps, 0, sizeof *steps);
  size_t width = 1, slots = (size_t)streaming->num_slots + 1;
  for (int i = 0; i < streaming->num_steps; i++) {
    size_t own = (size_t)fe_step_width(streaming, &streaming->steps[i]) + 1;
    width = own > width ? own : width;
  }
  steps->ctx = ctx;
  steps->streaming = streaming;
  steps->slots = calloc(slots, sizeof *steps->slots);
  steps->capacities = calloc(slots, sizeof *steps->capacities);
  steps->in = calloc(width, sizeof *steps->in);
  steps->out = calloc(width, sizeof *steps->out);
  steps->fresh = calloc(width, sizeof *steps->fresh);
  steps->own = calloc(width, sizeof *steps->own);
  if (steps->slots == NULL || steps->capacities == NULL || steps->in == NULL || steps->out == NULL || steps->fresh == NULL
      || steps->own == NULL) {
    fe_steps_free(steps);
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "there is not enough memory");
  }
  return 0;
}

// ---- Sizes ----

// The sizes of an array from a dimension on are known, or become so. Otherwise the dimension that is another one is returned, and its size; -1: none is.
static int fe_sizes_differ(struct fe_steps *steps, const struct fe_column *column, int from, const int64_t *sizes, int64_t *wanted) {
  for (int d = from; d < column->rank; d++) {
    struct fe_held *slot = column->slots[d] >= 0 ? &steps->slots[column->slots[d]] : NULL;
    int64_t size = sizes[d - from];
    *wanted = slot == NULL ? column->sizes[d] : slot->known ? slot->scalar.i64 : size;
    if (slot != NULL && !slot->known) {
      slot->scalar.i64 = size;
      slot->known = true;
    }
    if (*wanted != size && *wanted >= 0) {
      return d;
    }
  }
  return -1;
}

// The size of a dimension of an element; -1 if nothing says what it is.
static int64_t fe_column_size(const struct fe_steps *steps, const struct fe_column *column, int dim) {
  const struct fe_held *slot = column->slots[dim] >= 0 ? &steps->slots[column->slots[dim]] : NULL;
  return slot == NULL ? column->sizes[dim] : slot->known ? slot->scalar.i64 : -1;
}

// ---- Calls ----

static int fe_steps_call(struct fe_steps *steps, const struct fe_step *step) {
  for (int i = 0; i < step->num_args; i++) {
    steps->in[i] = &steps->slots[step->args[i]];
  }
  for (int i = 0; i < step->num_results; i++) {
    memset(&steps->fresh[i], 0, sizeof steps->fresh[i]);
    steps->out[i] = &steps->fresh[i];
  }
  int code = step->call(steps->ctx, steps->out, steps->in);
  code = code == 0 ? futhark_context_sync(steps->ctx) : code;
  for (int i = 0; i < step->num_results; i++) {
    struct fe_held *slot = &steps->slots[step->results[i]];
    if (code == 0) {
      fe_free(steps->ctx, &slot->mem);
      *slot = steps->fresh[i];
      slot->known = true;
    } else {
      fe_free(steps->ctx, &steps->fresh[i].mem);
    }
    memset(&steps->fresh[i], 0, sizeof steps->fresh[i]);
  }
  return code;
}

// The number of the step after a jump, which is otherwise `next`.
static int fe_steps_jump(const struct fe_steps *steps, const struct fe_step *jump, int next) {
  bool stays = jump->unless >= 0 && *(const bool *)(const void *)steps->slots[jump->unless].scalar.bytes;
  return stays ? next : jump->to;
}

// A result that has no memory of its own may be a chunk that is about to be replaced.
static int fe_part_own(struct futhark_context *ctx, struct fe_held *part, int64_t bytes) {
  return part->mem.block == NULL && part->mem.data != NULL && bytes > 0 ? fe_own_array(ctx, &part->mem, bytes) : 0;
}

// Appends an array to one that grows.
static int fe_grow(struct fe_steps *steps, int slot, const struct fe_held *part, int64_t bytes) {
  struct futhark_context *ctx = steps->ctx;
  struct fe_held *to = &steps->slots[slot];
  const struct fe_column *column = &steps->streaming->slots[slot];
  int64_t used = to->known ? fe_part_bytes(to, column) : 0;
  int64_t before = to->known ? to->shape[0] : 0, more = part->shape[0];
  if (used + bytes > steps->capacities[slot]) {
    int64_t capacity = 2 * steps->capacities[slot] > used + bytes ? 2 * steps->capacities[slot] : used + bytes;
    struct fe_mem larger = {0};
    int code = fe_alloc(ctx, &larger, capacity);
    if (code != 0) {
      capacity = used + bytes;
      fe_forget_error(ctx);
      code = fe_alloc(ctx, &larger, capacity);
    }
    if (code == FUTHARK_OUT_OF_MEMORY) {
      fe_forget_error(ctx);
      code = fe_fail(ctx, code, "out of memory: a sequence is collected in an array, which has %" PRId64
                     " elements of %" PRId64 " bytes so far; \"fehu report\" says where", before, before > 0 ? used / before : 0);
    }
    code = code == 0 ? fe_copy_across(ctx, &larger, 0, &to->mem, used) : code;
    if (code != 0) {
      fe_free(ctx, &larger);
      return code;
    }
    fe_free(ctx, &to->mem);
    to->mem = larger;
    steps->capacities[slot] = capacity;
  }
  int code = fe_copy_across(ctx, &to->mem, used, &part->mem, bytes);
  memcpy(to->shape, part->shape, sizeof to->shape);
  to->shape[0] = before + more;
  to->known = true;
  return code;
}

// ---- Chunks ----

// A pass begins: nothing has come of it.
static void fe_steps_begin_pass(struct fe_steps *steps, const struct fe_step *step) {
  for (int s = 0; s < step->num_sinks; s++) {
    const struct fe_sink *sink = &step->sinks[s];
    steps->slots[sink->count].scalar.i64 = 0;
    steps->slots[sink->count].known = true;
    // It may have been executed before.
    for (int i = 0; i < sink->num_parts && sink->arrays != NULL; i++) {
      fe_free(steps->ctx, &steps->slots[sink->arrays[i]].mem);
      memset(&steps->slots[sink->arrays[i]], 0, sizeof *steps->slots);
      steps->capacities[sink->arrays[i]] = 0;
    }
  }
}

// What has happened for a chunk is kept: states, sums, arrays that grow, and what is given away.
static int fe_steps_keep(struct fe_steps *steps, const struct fe_step *step) {
  struct futhark_context *ctx = steps->ctx;
  int code = 0;
  for (int i = 0; i < step->num_states; i++) {
    struct fe_held *slot = &steps->slots[step->states[i]], *new = &steps->fresh[i];
    int owned = fe_part_own(ctx, new, fe_part_bytes(new, &steps->streaming->slots[step->states[i]]));
    code = code == 0 ? owned : code;
    fe_free(ctx, &slot->mem);
    *slot = *new;
    slot->known = true;
    memset(new, 0, sizeof *new);
  }
  struct fe_held *part = steps->fresh + step->num_states;
  for (int s = 0; s < step->num_sinks && code == 0; s++) {
    const struct fe_sink *sink = &step->sinks[s];
    steps->slots[sink->count].scalar.i64 += part->scalar.i64;
    part++;
    for (int i = 0; i < sink->num_parts && code == 0; i++, part++) {
      if (sink->arrays != NULL) {
        code = fe_grow(steps, sink->arrays[i], part, fe_part_bytes(part, &steps->streaming->slots[sink->arrays[i]]));
      }
    }
  }
  return code == 0 && steps->give != NULL ? steps->give(steps, step, steps->fresh + step->num_states) : code;
}

// Executes a pass for a chunk: `count` elements after `before` others. `columns` are the parts of all sources, one after the other; of those whose
// elements differ in size, `totals` has the number of values. If memory is short before anything has happened, the code is
// FUTHARK_OUT_OF_MEMORY.
static int fe_steps_chunk(struct fe_steps *steps, const struct fe_step *step, struct fe_held *columns, const int64_t *totals,
                          int64_t before, int64_t count, bool last) {
  struct fe_held **in = steps->in, *own = steps->own;
  for (int i = 0; i < step->num_args; i++) {
    *in++ = &steps->slots[step->args[i]];
  }
  own[0].scalar.i64 = before;
  own[1].scalar.i64 = count;
  memset(own[2].scalar.bytes, 0, 8);
  *(bool *)(void *)own[2].scalar.bytes = last;
  for (int i = 0; i < 3; i++) {
    *in++ = own++;
  }
  for (int i = 0; i < step->num_states; i++) {
    *in++ = &steps->slots[step->states[i]];
  }
  for (int i = 0; i < step->num_sources; i++) {
    const struct fe_sequence *sequence = &steps->streaming->sources[step->sources[i]];
    for (int c = 0; c < sequence->num_columns; c++) {
      if (sequence->pieces && c == 1) {
        own->scalar.i64 = totals[i];
        *in++ = own++;
      }
      *in++ = columns++;
    }
  }
  int results = fe_step_results(step);
  for (int i = 0; i < results; i++) {
    memset(&steps->fresh[i], 0, sizeof steps->fresh[i]);
    steps->out[i] = &steps->fresh[i];
  }
  int code = step->call(steps->ctx, steps->out, steps->in);
  code = code == 0 ? futhark_context_sync(steps->ctx) : code;
#ifdef FE_GPU
  steps->ctx->gpu.spared = 0;
#endif
  if (code == 0) {
    code = fe_steps_keep(steps, step);
    // Nothing is repeated that has happened.
    code = code == FUTHARK_OUT_OF_MEMORY ? FUTHARK_PROGRAM_ERROR : code;
  }
  for (int i = 0; i < results; i++) {
    fe_free(steps->ctx, &steps->fresh[i].mem);
  }
  return code;
}
