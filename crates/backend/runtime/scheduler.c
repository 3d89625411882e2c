// Parallel loops on the pool: how they are split, and how small ones are kept sequential.
//
// A region is one execution of a parallel operation; it lives on the stack of the worker that waits for its end. Ranges
// of a region are split in half on demand: a worker keeps one half and leaves the other in its queue, for thieves or
// for itself. It splits when its queue is empty or another worker is idle, and otherwise runs pieces ("grains") of its
// range, each long enough to make these checks negligible, and short enough to balance uneven loops. A region that is
// large enough for all workers begins with a portion for each of them.
//
// The time of an iteration is measured wherever that is cheap, and kept for each site. A loop that is estimated to be
// too short runs immediately, and one about which nothing is known, or that might have grown, begins with a small
// piece. Pieces in which nested regions had ranges stolen say nothing about time, except that they were worth it.

#ifdef FE_MULTICORE
#ifdef FE_THREADS

// Estimates in nanoseconds. With FE_EAGER every loop is divided as far as it can be, however short it is: so tests
// with little data look for races.
#ifdef FE_EAGER
#define FE_TINY_NS 0
#define FE_PROBE_NS 0
#define FE_WORTHWHILE_NS 0
#define FE_GRAIN_MIN_NS 0
#define FE_GRAIN_MAX_NS 0
#define FE_WAKE_MIN_NS (-1)
#define FE_LONG_NS 0
#define FE_PATIENCE_NS 0
#else
#define FE_TINY_NS 1000         // a loop so short runs in one piece, without further thought
#define FE_PROBE_NS 5000        // how much must be measured before an unknown loop may become parallel
#define FE_WORTHWHILE_NS 20000  // shorter loops are sequential
#define FE_GRAIN_MIN_NS 10000   // the shortest pieces of ranges
#define FE_GRAIN_MAX_NS 50000   // the longest
#define FE_WAKE_MIN_NS 40000    // for less, nobody is woken
#define FE_LONG_NS 1000000      // reductions so long are divided even if everybody is busy
#define FE_PATIENCE_NS 5000     // after that, the portions of others may be taken
#endif
#define FE_SURE_NS 20000000     // so much longer than an interruption that it is believed at once
#define FE_SPIN_NS 1000000      // how long to look for work before sleeping; to wake all takes some 100000
#define FE_CHUNKS_OF_THREAD 8   // of a long reduction, so that threads that are held up do not hold up all

struct fe_region {
  fe_task task;
  void *env;
  // Iterations, and into how many chunks they are divided; 0: none. A range counts chunks if there are any.
  int64_t n, chunks;
  struct fe_site *site;
  // An estimate of the ticks for one iteration or chunk.
  double ticks;
  // What the worker was doing when it met this region, and the depth of nesting, from 1 on.
  struct fe_region *parent;
  int depth;
  struct fe_worker *owner;
  // Iterations or chunks that are not executed yet; at 0 the region may vanish.
  _Atomic int64_t remaining;
  // The first error.
  atomic_int error;
};

static bool fe_region_done(struct fe_region *region) {
  return atomic_load(&region->remaining) == 0;
}

// The error that makes the rest of a region pointless: its own, or one of a region around it.
static int fe_region_error(struct fe_region *region) {
  for (; region != NULL; region = region->parent) {
    int error = atomic_load_explicit(&region->error, memory_order_relaxed);
    if (error != 0) {
      return error;
    }
  }
  return 0;
}

static int64_t fe_chunk_start(int64_t n, int64_t chunks, int64_t chunk) {
  return n / chunks * chunk + n % chunks * chunk / chunks;
}

static double fe_site_ticks(struct fe_site *site) {
  return atomic_load_explicit(&site->ticks, memory_order_relaxed);
}

// Notes that some iterations took so long. Estimates rise quickly and fall slowly, since it costs less to take a loop
// for longer than it is; but one interrupted measurement should not count much. Nothing is written if nothing
// changes, because other workers read it all the time.
static void fe_note(struct fe_scheduler *s, struct fe_site *site, double ticks, int64_t iterations) {
  if (iterations <= 0) {
    return;
  }
  double now = ticks / (double)iterations, old = fe_site_ticks(site), next;
  if (old == 0 || (now > old && ticks > s->sure)) {
    next = now > 1e-3 ? now : 1e-3;
  } else if (now > old) {
    next = now < 4 * old ? now : 4 * old;
  } else {
    next = old + (now - old) / 4;
  }
  if (next > old * 1.0625 || next < old * 0.9375) {
    atomic_store_explicit(&site->ticks, (float)next, memory_order_relaxed);
  }
}

// How many iterations of a region a worker should execute before it looks around.
static int64_t fe_grain(struct fe_scheduler *s, const struct fe_region *region, double ticks) {
  if (region->chunks > 0) {
    return 1;
  }
  if (ticks < 1e-3) {
    ticks = 1e-3;
  }
  double grain = (double)region->n / (32.0 * s->threads);
  grain = grain < s->grain_min / ticks ? s->grain_min / ticks : grain;
  grain = grain > s->grain_max / ticks ? s->grain_max / ticks : grain;
  return grain < 1 ? 1 : grain > 1e15 ? (int64_t)1e15 : (int64_t)grain;
}

// Large pieces begin at multiples of 64, for the sake of cache lines and vectors.
static int64_t fe_align(int64_t lo, int64_t mid) {
  return mid - lo < 256 ? mid : mid / 64 * 64;
}

// Whether to leave a part of a range to thieves: there is nothing for them, or they want more than there is.
static bool fe_should_split(struct fe_worker *w, int64_t mark) {
  return fe_deque_count(&w->deque, 0) == 0
         || (atomic_load_explicit(&w->scheduler->hungry, memory_order_relaxed) > 0
             && fe_deque_count(&w->deque, mark) < 3);
}

// What happened to the pieces that one worker has executed.
struct fe_measure {
  double ticks;
  int64_t iterations;
};

// Executes one piece. Returns an estimate of the ticks for each of its iterations or chunks.
static double fe_run_piece(struct fe_worker *w, struct fe_region *r, int64_t lo, int64_t hi, double old,
                           struct fe_measure *measure) {
  struct fe_scheduler *s = w->scheduler;
  int64_t first = lo, last = hi, chunk = 0;
  if (r->chunks > 0) {
    chunk = lo;
    first = fe_chunk_start(r->n, r->chunks, lo);
    last = fe_chunk_start(r->n, r->chunks, hi);
  }
  const int64_t begun = fe_event_start(s->ctx);
  uint64_t stolen = w->stolen, start = fe_ticks();
  int error = s->ctx->cancelled ? fe_stop(s->ctx) : r->task(s->ctx, r->env, chunk, first, last);
  double ticks = (double)fe_ticks_since(start);
  if (s->ctx->profiling && r->depth == 1) {
    fe_piece_end(s->ctx, w->index, begun);
  }
  if (error != 0) {
    int none = 0;
    atomic_compare_exchange_strong(&r->error, &none, error);
  }
  if (stolen != w->stolen) {
    double least = s->worthwhile / (double)(hi - lo);
    return old > least ? old : least;
  }
  measure->ticks += ticks;
  measure->iterations += last - first;
  return ticks / (double)(hi - lo);
}

// Executes a range: all of it that nobody steals. Leaves no ranges behind in the worker's queue.
static void fe_run_range(struct fe_worker *w, struct fe_range range) {
  struct fe_scheduler *s = w->scheduler;
  struct fe_region *r = range.region, *around = w->region;
  struct fe_measure measure = {0, 0};
  int64_t mark = fe_deque_mark(&w->deque), done = 0, split = 0;
  double ticks = r->ticks;
  int64_t grain = fe_grain(s, r, ticks);
  w->region = r;
  for (;;) {
    int64_t lo = range.lo, hi = range.hi;
    while (lo < hi) {
      if (fe_region_error(r) != 0) {
        done += hi - lo;
        break;
      }
      if (hi - lo > grain && fe_should_split(w, mark)) {
        range.lo = fe_align(lo, lo + (hi - lo) / 2);
        range.hi = hi;
        if (fe_deque_push(&w->deque, range)) {
          if (ticks * (double)(hi - lo) > s->wake_min) {
            fe_wake_any(s, r->depth);
          }
          hi = range.lo;
          split++;
          continue;
        }
      }
      int64_t end = hi - lo > grain ? fe_align(lo, lo + grain) : hi;
      ticks = fe_run_piece(w, r, lo, end, ticks, &measure);
      done += end - lo;
      lo = end;
      int64_t next = fe_grain(s, r, ticks);
      grain = next / 4 > grain ? grain * 4 : next;
    }
    // What is above the mark is what was split off here: nested regions have left nothing behind, either.
    if (!fe_deque_pop(&w->deque, mark, &range)) {
      break;
    }
    split--;
  }
  if (split > 0) {
    w->stolen++;
  }
  if (measure.iterations > 0) {
    fe_note(s, r->site, measure.ticks, measure.iterations);
  } else if (r->chunks == 0 && fe_site_ticks(r->site) < ticks) {
    fe_note(s, r->site, ticks, 1);
  }
  w->region = around;
  // After the subtraction the region may be gone.
  struct fe_worker *owner = r->owner;
  if (atomic_fetch_sub(&r->remaining, done) == done && owner != w) {
    fe_wake_worker(s, owner);
  }
}

// Gives all workers their portions of a range; the rest is for the one that asks.
static void fe_give_portions(struct fe_scheduler *s, struct fe_range *range) {
  int64_t first = range->lo, n = range->hi - first, from = range->hi;
  for (int k = s->threads - 1; k > 0; k--) {
    int64_t to = from;
    from = fe_align(first, first + fe_chunk_start(n, s->threads, k));
    if (from >= to) {
      from = to;
    } else {
      struct fe_range portion = {range->region, from, to, range->depth};
      fe_portion_give(&s->workers[k].portion, portion);
    }
  }
  range->hi = from;
}

// Executes the units (iterations, or chunks if there are any) from `lo` on, in parallel.
static int fe_run_region(struct fe_worker *w, struct fe_region *r, int64_t lo) {
  struct fe_scheduler *s = w->scheduler;
  if (!s->started) {
    fe_pool_start(s);
  }
  int64_t hi = r->chunks > 0 ? r->chunks : r->n;
  r->parent = w->region;
  r->depth = w->region == NULL ? 1 : w->region->depth + 1;
  r->owner = w;
  atomic_init(&r->remaining, hi - lo);
  atomic_init(&r->error, 0);
  struct fe_range range = {r, lo, hi, r->depth};
  double helpers = r->ticks * (double)(hi - lo) / s->worthwhile - 1;
  if (r->depth == 1 && helpers >= s->threads - 1 && hi - lo >= s->threads) {
    fe_give_portions(s, &range);
  }
  fe_wake_several(s, r->depth, helpers < s->threads ? (int)helpers : s->threads - 1);
  fe_run_range(w, range);
  while (fe_find(w, r->depth, r, &range)) {
    fe_run_range(w, range);
  }
  return fe_region_error(r);
}

// A loop that is believed to be short: runs in one piece. Of those that are as short as believed, only some are noted.
static int fe_run_tiny(struct fe_worker *w, struct fe_region *r, double expected) {
  struct fe_scheduler *s = w->scheduler;
  uint64_t stolen = w->stolen, start = fe_ticks();
  int error = r->task(s->ctx, r->env, 0, 0, r->n);
  double ticks = (double)fe_ticks_since(start);
  if (stolen != w->stolen) {
    fe_note(s, r->site, s->worthwhile, r->n);
  } else if (ticks > 4 * expected + s->tiny || (++w->samples & 15) == 0) {
    fe_note(s, r->site, ticks, r->n);
  }
  return error;
}

// Begins a loop that is unknown, or believed to be too short for others to help, in pieces until it turns out to
// be long enough. Returns the number of iterations that were executed, and what was learned in `r->ticks`.
static int64_t fe_run_start(struct fe_worker *w, struct fe_region *r, int *error) {
  struct fe_scheduler *s = w->scheduler;
  bool known = r->ticks > 0;
  int64_t lo = 0, piece = known ? r->n / 8 + 1 : 1;
  double spent = 0;
  for (;;) {
    piece = piece < r->n - lo ? piece : r->n - lo;
    uint64_t stolen = w->stolen, start = fe_ticks();
    *error = r->task(s->ctx, r->env, 0, lo, lo + piece);
    double ticks = (double)fe_ticks_since(start);
    bool nested = stolen != w->stolen;
    lo += piece;
    spent += ticks;
    if (nested) {
      double least = s->worthwhile / (double)piece;
      r->ticks = r->ticks > least ? r->ticks : least;
    } else {
      r->ticks = ticks / (double)piece;
    }
    if (!known) {
      // The first iterations are slower than the others, so that the latest estimate is the best.
      atomic_store_explicit(&r->site->ticks, (float)(r->ticks > 1e-3 ? r->ticks : 1e-3), memory_order_relaxed);
    }
    bool enough = known || nested || spent >= s->probe;
    bool parallel = enough && lo + 1 < r->n && r->ticks * (double)(r->n - lo) >= s->worthwhile;
    if (*error != 0 || lo == r->n || parallel) {
      // A first piece alone would be noted as slower than it is, because of its overhead.
      if (known) {
        fe_note(s, r->site, nested ? r->ticks * (double)lo : spent, lo);
      }
      return lo;
    }
    piece = known || piece > r->n / 4 ? r->n - lo : piece * 4;
  }
}

FE_SHARED int fe_parallel_for(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n) {
  struct fe_scheduler *s = ctx->scheduler;
  if (n <= 0) {
    return 0;
  }
  if (n == 1 || s->threads == 1) {
    return f(ctx, env, 0, 0, n);
  }
  struct fe_worker *w = fe_self(s);
  struct fe_region r;
  r.task = f;
  r.env = env;
  r.n = n;
  r.chunks = 0;
  r.site = &s->sites[site];
  r.ticks = fe_site_ticks(r.site);
  double expected = r.ticks * (double)n;
  if (expected >= s->worthwhile) {
    return fe_run_region(w, &r, 0);
  }
  if (r.ticks > 0 && expected < s->tiny) {
    return fe_run_tiny(w, &r, expected);
  }
  int error;
  int64_t done = fe_run_start(w, &r, &error);
  return error != 0 || done == n ? error : fe_run_region(w, &r, done);
}

FE_SHARED int fe_chunks(struct futhark_context *ctx, int site, int64_t n) {
  struct fe_scheduler *s = ctx->scheduler;
  if (n <= 1 || s->threads == 1) {
    return 1;
  }
  struct fe_worker *w = fe_self(s);
  double ticks = fe_site_ticks(&s->sites[site]), expected = ticks * (double)n;
  double chunks = s->threads;
  if (ticks > 0) {
    if (expected < s->worthwhile) {
      // Now and then the answer is 2, so that a site that has become slower is measured.
      return (++w->samples & 63) == 0 ? 2 : 1;
    }
    if (w->region != NULL && expected < s->lengthy && atomic_load_explicit(&s->hungry, memory_order_relaxed) == 0) {
      // Everybody is busy with what is around this.
      return 1;
    }
    double most = FE_CHUNKS_OF_THREAD * chunks, long_ones = expected / s->grain_max;
    if (long_ones > chunks) {
      chunks = long_ones < most ? long_ones : most;
    } else if (expected / s->grain_min < chunks) {
      chunks = expected / s->grain_min;
    }
  }
  return (double)n < chunks ? (int)n : (int)chunks;
}

FE_SHARED int fe_parallel_chunks(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n, int chunks) {
  struct fe_scheduler *s = ctx->scheduler;
  struct fe_worker *w = fe_self(s);
  struct fe_region r;
  r.task = f;
  r.env = env;
  r.n = n;
  r.chunks = chunks;
  r.site = &s->sites[site];
  if (chunks <= 1) {
    return fe_run_tiny(w, &r, fe_site_ticks(r.site) * (double)n);
  }
  r.ticks = fe_site_ticks(r.site) * (double)n / chunks;
  if (r.ticks == 0) {
    r.ticks = s->worthwhile;
  }
  int64_t done = 0;
  // What is believed to be short is done here, until it turns out to be long after all.
  while (done < chunks && (s->threads == 1 || r.ticks * (double)(chunks - done) < s->worthwhile)) {
    int64_t lo = fe_chunk_start(n, chunks, done), hi = fe_chunk_start(n, chunks, done + 1);
    uint64_t stolen = w->stolen, start = fe_ticks();
    int error = f(ctx, env, done, lo, hi);
    if (error != 0) {
      return error;
    }
    if (stolen == w->stolen) {
      r.ticks = (double)fe_ticks_since(start);
      fe_note(s, r.site, r.ticks, hi - lo);
    } else {
      r.ticks = s->worthwhile;
    }
    done++;
  }
  return done == chunks ? 0 : fe_run_region(w, &r, done);
}

FE_SHARED int fe_worker(struct futhark_context *ctx) {
  return fe_self(ctx->scheduler)->index;
}

FE_SHARED int fe_num_workers(struct futhark_context *ctx) {
  return ctx->scheduler->threads;
}

static int fe_scheduler_init(struct futhark_context *ctx) {
  int threads = ctx->cfg->num_threads, cores = fe_cores();
  threads = threads <= 0 ? cores : threads > FE_MAX_THREADS ? FE_MAX_THREADS : threads;
  ctx->scheduler = NULL;
  struct fe_scheduler *s = calloc(1, sizeof *s);
  struct fe_worker *workers = calloc((size_t)threads, sizeof *workers);
  struct fe_site *sites = calloc((size_t)fe_program.num_sites + 1, sizeof *sites);
  if (s == NULL || workers == NULL || sites == NULL) {
    free(s);
    free(workers);
    free(sites);
    return fe_fail(ctx, FUTHARK_OUT_OF_MEMORY, "Cannot allocate memory for %d threads.", threads);
  }
  s->ctx = ctx;
  s->workers = workers;
  s->sites = sites;
  s->threads = threads;
  s->running = 1;
  // Without parallelism nothing is measured, and there is no need of knowing how long a tick is.
  double ticks = threads == 1 ? 1 : fe_ticks_per_ns();
  s->tiny = FE_TINY_NS * ticks;
  s->probe = FE_PROBE_NS * ticks;
  s->worthwhile = FE_WORTHWHILE_NS * ticks;
  s->grain_min = FE_GRAIN_MIN_NS * ticks;
  s->grain_max = FE_GRAIN_MAX_NS * ticks;
  s->wake_min = FE_WAKE_MIN_NS * ticks;
  s->lengthy = FE_LONG_NS * ticks;
  s->sure = FE_SURE_NS * ticks;
  s->patience = (uint64_t)(FE_PATIENCE_NS * ticks);
  // With more threads than cores, who waits actively keeps others from working.
  s->spin = threads > cores ? 0 : (uint64_t)(FE_SPIN_NS * ticks);
  pthread_mutex_init(&s->lock, NULL);
  for (int i = 0; i < threads; i++) {
    workers[i].scheduler = s;
    workers[i].index = i;
    workers[i].random = (uint32_t)i * 2654435761u + 1;
    pthread_cond_init(&workers[i].wake, NULL);
  }
  ctx->scheduler = s;
  return 0;
}

static void fe_scheduler_free(struct futhark_context *ctx) {
  struct fe_scheduler *s = ctx->scheduler;
  if (s == NULL) {
    return;
  }
  fe_pool_stop(s);
  for (int i = 0; i < s->threads; i++) {
    pthread_cond_destroy(&s->workers[i].wake);
  }
  pthread_mutex_destroy(&s->lock);
  free(s->workers);
  free(s->sites);
  free(s);
  ctx->scheduler = NULL;
}

#else // FE_THREADS

// Without threads everything is one piece.
struct fe_scheduler {
  int threads;
};

FE_SHARED int fe_parallel_for(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n) {
  (void)site;
  return n <= 0 ? 0 : f(ctx, env, 0, 0, n);
}

FE_SHARED int fe_chunks(struct futhark_context *ctx, int site, int64_t n) {
  (void)ctx, (void)site, (void)n;
  return 1;
}

FE_SHARED int fe_parallel_chunks(struct futhark_context *ctx, int site, fe_task f, void *env, int64_t n, int chunks) {
  (void)site;
  int error = 0;
  for (int64_t c = 0; c < chunks && error == 0; c++) {
    error = f(ctx, env, c, n / chunks * c + n % chunks * c / chunks, n / chunks * (c + 1) + n % chunks * (c + 1) / chunks);
  }
  return error;
}

FE_SHARED int fe_worker(struct futhark_context *ctx) {
  (void)ctx;
  return 0;
}

FE_SHARED int fe_num_workers(struct futhark_context *ctx) {
  (void)ctx;
  return 1;
}

static int fe_scheduler_init(struct futhark_context *ctx) {
  ctx->scheduler = NULL;
  return 0;
}

static void fe_scheduler_free(struct futhark_context *ctx) {
  (void)ctx;
}

#endif
#endif
