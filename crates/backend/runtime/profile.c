// Profiles, and reports. After context.c.

// More events than this are only summed up.
enum { FE_MOST_EVENTS = 100000 };

void futhark_context_pause_profiling(struct futhark_context *ctx) { ctx->profiling_paused = true; }

void futhark_context_unpause_profiling(struct futhark_context *ctx) { ctx->profiling_paused = false; }

static bool fe_profile_new(struct futhark_context *ctx) {
  struct fe_profile *profile = calloc(1, sizeof *profile);
  if (profile == NULL) {
    return false;
  }
  const int operators = fe_program.num_operators;
  int parts = 0;
  for (int i = 0; i < operators; i++) {
    parts += fe_program.operators[i].parts;
  }
  profile->spent = calloc((size_t)operators + 1, sizeof *profile->spent);
  profile->amounts = calloc(3 * (size_t)parts + 1, sizeof *profile->amounts);
#ifdef FE_BUSY
  profile->busy = calloc(FE_MAX_THREADS, sizeof *profile->busy);
  bool made = profile->busy != NULL;
#else
  bool made = true;
#endif
  ctx->profile = profile;
  if (!made || profile->spent == NULL || profile->amounts == NULL) {
    fe_profile_free(ctx);
    return false;
  }
  return true;
}

static void fe_profile_clear(struct futhark_context *ctx) {
  struct fe_profile *profile = ctx->profile;
  if (profile == NULL) {
    return;
  }
  int parts = 0;
  for (int i = 0; i < fe_program.num_operators; i++) {
    profile->spent[i] = (struct fe_spent){0};
    parts += fe_program.operators[i].parts;
  }
  memset(profile->amounts, 0, 3 * (size_t)parts * sizeof *profile->amounts);
  profile->num_events = 0;
  profile->lost_events = 0;
  profile->allocations = 0;
  profile->allocation = 0;
}

static void fe_profile_free(struct futhark_context *ctx) {
  struct fe_profile *profile = ctx->profile;
  if (profile != NULL) {
    free(profile->events);
    free(profile->spent);
    free(profile->amounts);
    free(profile->open);
#ifdef FE_BUSY
    free(profile->busy);
#endif
  }
  free(profile);
  ctx->profile = NULL;
}

FE_SHARED void fe_event_add(struct futhark_context *ctx, struct fe_event event) {
  struct fe_profile *profile = ctx->profile;
  fe_context_lock(ctx);
  if (profile->num_events == profile->max_events && profile->max_events < FE_MOST_EVENTS) {
    int64_t more = profile->max_events == 0 ? 64 : 2 * profile->max_events;
    more = more < FE_MOST_EVENTS ? more : FE_MOST_EVENTS;
    struct fe_event *events = realloc(profile->events, (size_t)more * sizeof *events);
    if (events != NULL) {
      profile->events = events;
      profile->max_events = more;
    }
  }
  if (profile->num_events < profile->max_events) {
    event.start -= ctx->born;
    event.end -= ctx->born;
    profile->events[profile->num_events++] = event;
  } else {
    profile->lost_events++;
  }
  fe_context_unlock(ctx);
}

FE_SHARED int fe_current_operator(const struct futhark_context *ctx) {
  const struct fe_profile *profile = ctx->profile;
  return profile == NULL || profile->num_open == 0 ? -1 : profile->open[profile->num_open - 1].operator_;
}

// Whether the thread is the one that has called the program: only that one has operators.
static inline bool fe_is_caller(struct futhark_context *ctx) {
#ifdef FE_MULTICORE
  return fe_worker(ctx) == 0;
#else
  (void)ctx;
  return true;
#endif
}

FE_SHARED void fe_begin(struct futhark_context *ctx, int operator_, const int64_t *amounts) {
  struct fe_profile *profile = ctx->profile;
  if (!fe_is_caller(ctx)) {
    return;
  }
  const int around = fe_current_operator(ctx);
  if (profile->ignored > 0 || (around >= 0 && fe_program.operators[around].parts > 0)) {
    profile->ignored++;
    return;
  }
  if (profile->num_open == profile->max_open) {
    int more = profile->max_open == 0 ? 16 : 2 * profile->max_open;
    struct fe_open *open = realloc(profile->open, (size_t)more * sizeof *open);
    if (open == NULL) {
      profile->ignored++;
      return;
    }
    profile->open = open;
    profile->max_open = more;
  }
  const struct fe_operator *known = &fe_program.operators[operator_];
  for (int i = 0; i < 3 * known->parts && !ctx->profiling_paused; i++) {
    profile->amounts[3 * known->first + i] += amounts[i];
  }
#ifdef FE_BUSY
  for (int i = 0; known->parts > 0 && i < fe_num_workers(ctx); i++) {
    atomic_store_explicit(&profile->busy[i], 0, memory_order_relaxed);
  }
#endif
  profile->open[profile->num_open++] = (struct fe_open){operator_, fe_now(), 0, 0};
}

static void fe_note_spent(struct futhark_context *ctx, const struct fe_open *open, int64_t total) {
  struct fe_spent *spent = &ctx->profile->spent[open->operator_];
  int64_t busy = 0, busiest = 0;
#ifdef FE_BUSY
  for (int i = 0; i < fe_num_workers(ctx); i++) {
    int64_t of_thread = atomic_load_explicit(&ctx->profile->busy[i], memory_order_relaxed);
    busy += of_thread;
    busiest = of_thread > busiest ? of_thread : busiest;
  }
#endif
  // What no other thread has helped with.
  spent->busy += busy == 0 ? total : busy;
  spent->busiest += busy == 0 ? total : busiest;
  spent->least = spent->count == 0 || total < spent->least ? total : spent->least;
  spent->most = total > spent->most ? total : spent->most;
  spent->count++;
  spent->total += total;
  spent->own += total - open->inside;
  spent->allocation += open->allocation;
}

FE_SHARED void fe_end(struct futhark_context *ctx) {
  struct fe_profile *profile = ctx->profile;
  if (!fe_is_caller(ctx)) {
    return;
  }
  if (profile->ignored > 0) {
    profile->ignored--;
    return;
  }
  if (profile->num_open == 0) {
    return;
  }
  const struct fe_open open = profile->open[--profile->num_open];
  const int64_t end = fe_now(), total = end - open.start;
  if (profile->num_open > 0) {
    profile->open[profile->num_open - 1].inside += total;
  }
  if (ctx->profiling_paused) {
    return;
  }
  const struct fe_operator *known = &fe_program.operators[open.operator_];
  fe_note_spent(ctx, &open, total);
  struct fe_event event = {known->name, known->place, open.start, end, 0, open.operator_, (int64_t)ctx->pool.used};
  fe_event_add(ctx, event);
}

FE_SHARED void fe_call_end(struct futhark_context *ctx, const char *name, int64_t start) {
  ctx->profile->ignored = 0;
  while (ctx->profile->num_open > 0) {
    fe_end(ctx);
  }
  if (!ctx->profiling_paused) {
    struct fe_event event = {name, "", start, fe_now(), 0, -1, (int64_t)ctx->pool.used};
    fe_event_add(ctx, event);
  }
}

#ifdef FE_BUSY
FE_SHARED void fe_piece_end(struct futhark_context *ctx, int worker, int64_t start) {
  const int64_t end = fe_now();
  const int operator_ = fe_current_operator(ctx);
  atomic_fetch_add_explicit(&ctx->profile->busy[worker], end - start, memory_order_relaxed);
  // The caller's own time is the operator's.
  if (worker != 0 && !ctx->profiling_paused) {
    const char *name = operator_ < 0 ? "task" : fe_program.operators[operator_].name;
    const char *place = operator_ < 0 ? "" : fe_program.operators[operator_].place;
    fe_event_add(ctx, (struct fe_event){name, place, start, end, worker, operator_, 0});
  }
}
#endif

FE_SHARED void fe_alloc_end(struct futhark_context *ctx, int64_t start) {
  struct fe_profile *profile = ctx->profile;
  if (ctx->profiling_paused || !fe_is_caller(ctx)) {
    return;
  }
  const int64_t took = fe_now() - start;
  profile->allocations++;
  profile->allocation += took;
  if (profile->num_open > 0) {
    profile->open[profile->num_open - 1].allocation += took;
  }
}

// Reports

// A text that grows. After a failure it stays NULL and everything else is ignored.
struct fe_text {
  char *chars;
  size_t length;
  size_t capacity;
  bool failed;
};

static void fe_text_add(struct fe_text *text, const char *chars, size_t length) {
  if (text->length + length + 1 > text->capacity && !text->failed) {
    size_t capacity = 2 * (text->length + length + 1);
    char *larger = realloc(text->chars, capacity);
    text->failed = larger == NULL;
    if (larger != NULL) {
      text->chars = larger;
      text->capacity = capacity;
    }
  }
  if (!text->failed) {
    memcpy(text->chars + text->length, chars, length);
    text->length += length;
    text->chars[text->length] = '\0';
  }
}

static void fe_text_words(struct fe_text *text, const char *words) { fe_text_add(text, words, strlen(words)); }

static void fe_text_number(struct fe_text *text, int64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, number);
  fe_text_words(text, digits);
}

// A string of JSON.
static void fe_text_quoted(struct fe_text *text, const char *chars) {
  fe_text_words(text, "\"");
  for (; *chars != '\0'; chars++) {
    char escape[8] = {*chars, '\0'};
    if (*chars == '"' || *chars == '\\') {
      snprintf(escape, sizeof escape, "\\%c", *chars);
    } else if ((unsigned char)*chars < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*chars);
    }
    fe_text_words(text, escape);
  }
  fe_text_words(text, "\"");
}

static void fe_text_member(struct fe_text *text, const char *name, int64_t number) {
  fe_text_words(text, ",\"");
  fe_text_words(text, name);
  fe_text_words(text, "\":");
  fe_text_number(text, number);
}

// An event: in microseconds for those who know no more, with its beginning and end in nanoseconds for others.
static void fe_text_event(struct fe_text *text, const struct fe_event *event) {
  const int64_t took = event->end - event->start;
  char duration[40];
  snprintf(duration, sizeof duration, "%" PRId64 ".%03d", took / 1000, (int)(took % 1000));
  fe_text_words(text, "{\"name\":");
  fe_text_quoted(text, event->name);
  fe_text_member(text, "start", event->start);
  fe_text_member(text, "end", event->end);
  fe_text_words(text, ",\"duration\":");
  fe_text_words(text, duration);
  fe_text_words(text, ",\"provenance\":");
  fe_text_quoted(text, event->provenance[0] == '\0' ? "unknown" : event->provenance);
  fe_text_words(text, event->track == FE_ON_DEVICE ? ",\"track\":\"device\"" : event->track == FE_ON_BUS ? ",\"track\":\"bus\"" : "");
  if (event->track >= 0) {
    fe_text_member(text, "track", event->track);
  }
  if (event->operator_ >= 0) {
    fe_text_member(text, "operator", event->operator_);
  }
  fe_text_words(text, ",\"details\":{");
  fe_text_words(text, event->track == FE_ON_BUS ? "\"bytes\":" : "\"memory\":");
  fe_text_number(text, event->bytes);
  fe_text_words(text, "}}");
}

static void fe_text_operator(struct fe_text *text, const struct fe_profile *profile, int number) {
  const struct fe_operator *known = &fe_program.operators[number];
  const struct fe_spent *spent = &profile->spent[number];
  fe_text_words(text, "{\"name\":");
  fe_text_quoted(text, known->name);
  fe_text_words(text, ",\"function\":");
  fe_text_quoted(text, known->function);
  fe_text_words(text, ",\"place\":");
  fe_text_quoted(text, known->place);
  fe_text_words(text, known->exact ? ",\"exact\":true" : ",\"exact\":false");
  fe_text_member(text, "calls", spent->count);
  fe_text_member(text, "total", spent->total);
  fe_text_member(text, "own", spent->own);
  fe_text_member(text, "least", spent->least);
  fe_text_member(text, "most", spent->most);
  fe_text_member(text, "allocation", spent->allocation);
  fe_text_member(text, "busy", spent->busy);
  fe_text_member(text, "busiest", spent->busiest);
  fe_text_member(text, "device", spent->device);
  fe_text_member(text, "kernels", spent->kernels);
  fe_text_words(text, ",\"parts\":[");
  for (int i = known->first; i < known->first + known->parts; i++) {
    fe_text_words(text, i == known->first ? "{\"place\":" : ",{\"place\":");
    fe_text_quoted(text, fe_program.operator_parts[i]);
    fe_text_member(text, "read", profile->amounts[3 * i]);
    fe_text_member(text, "written", profile->amounts[3 * i + 1]);
    fe_text_member(text, "operations", profile->amounts[3 * i + 2]);
    fe_text_words(text, "}");
  }
  fe_text_words(text, "]}");
}

static void fe_text_profile(struct fe_text *text, struct futhark_context *ctx) {
  const struct fe_profile *profile = ctx->profile;
  for (int64_t i = 0; i < profile->num_events; i++) {
    fe_text_words(text, i == 0 ? "" : ",");
    fe_text_event(text, &profile->events[i]);
  }
  fe_text_words(text, "],\"operators\":[");
  for (int i = 0; i < fe_program.num_operators; i++) {
    fe_text_words(text, i == 0 ? "" : ",");
    fe_text_operator(text, profile, i);
  }
  fe_text_words(text, "],\"lost\":");
  fe_text_number(text, profile->lost_events);
  fe_text_words(text, ",\"allocation\":{\"count\":");
  fe_text_number(text, profile->allocations);
  fe_text_member(text, "time", profile->allocation);
  fe_text_words(text, "},\"threads\":");
#ifdef FE_MULTICORE
  fe_text_number(text, fe_num_workers(ctx));
#else
  fe_text_number(text, 1);
#endif
#ifdef FE_GPU
  fe_text_words(text, ",\"device\":");
  fe_text_quoted(text, ctx->gpu.name);
#endif
}

char *futhark_context_report(struct futhark_context *ctx) {
  struct fe_text text = {0};
#ifdef FE_GPU
  fe_gpu_settle(ctx);
  fe_text_words(&text, "{\"memory\":{\"device\": ");
#else
  fe_text_words(&text, "{\"memory\":{\"default space\": ");
#endif
  fe_pool_settle(&ctx->pool);
  fe_text_number(&text, (int64_t)ctx->pool.peak);
#ifdef FE_GPU
  fe_text_words(&text, "},\"eviction\":{\"blocks\":");
  fe_text_number(&text, ctx->gpu.evictions.count);
  fe_text_words(&text, ",\"bytes_out\":");
  fe_text_number(&text, ctx->gpu.evictions.bytes_out);
  fe_text_words(&text, ",\"bytes_in\":");
  fe_text_number(&text, ctx->gpu.evictions.bytes_in);
  fe_text_words(&text, ",\"limit\":");
  fe_text_number(&text, ctx->cfg == NULL ? 0 : ctx->cfg->gpu.memory_limit);
#endif
  fe_text_words(&text, "},\"events\":[");
  if (ctx->profile != NULL) {
    fe_text_profile(&text, ctx);
  } else {
    fe_text_words(&text, "]");
  }
  if (ctx->num_comparisons > 0) {
    fe_text_words(&text, ",\"compared\":[");
    for (int64_t i = 0; i < ctx->num_comparisons; i++) {
      fe_text_words(&text, i == 0 ? "[" : ",[");
      fe_text_quoted(&text, fe_program.tuning_names[ctx->comparisons[i].param]);
      fe_text_words(&text, ",");
      fe_text_number(&text, ctx->comparisons[i].value);
      fe_text_words(&text, "]");
    }
    fe_text_words(&text, "]");
  }
  fe_text_words(&text, "}");
  if (text.failed) {
    free(text.chars);
    return NULL;
  }
  return text.chars;
}
