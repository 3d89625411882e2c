// The threads of a context: how they start, look for work, sleep and end.
//
// Worker 0 is whichever thread called the API; the others are started by the first operation that is worth it. A worker
// without work takes its portion of a region that begins, or looks into the queues of others, for about a millisecond,
// and then sleeps, so that an idle context costs nothing. A worker that pushes work wakes a sleeper unless some other
// worker is already looking for work; the last one that was looking, when it finds work, wakes the next if there is
// more. A region that is large enough wakes all helpers at its beginning.
//
// A worker that waits for the end of a region of depth d takes only ranges of regions of depth d or more. So the depths
// of the regions on a worker's stack increase strictly from one wait to the next: the stack is bounded by the nesting
// of the program, whatever is stolen. Progress does not depend on thieves: a worker that runs a range also runs
// whatever it has split off and nobody has stolen, before it returns (see fe_run_range).

#if defined(FE_MULTICORE) && defined(FE_THREADS)

// What is known about the iterations of a site.
struct fe_site {
  // Ticks for one iteration; 0 if unknown.
  _Atomic float ticks;
};

// A worker. Only `deque`, `portion` and `sleeping` are touched by others, and `limit` under the lock.
struct fe_worker {
  struct fe_deque deque;
  struct fe_portion portion;
  struct fe_scheduler *scheduler;
  int index;
  // What it is working on: NULL outside regions.
  struct fe_region *region;
  // How many regions had ranges stolen: a measurement during which this changes is not of this worker's work.
  uint64_t stolen;
  // Counts small loops, of which only some are noted.
  uint32_t samples;
  uint32_t random;
  // Whether it waits for `wake`, and the depth of what it could do. Set under the lock.
  atomic_bool sleeping;
  int limit;
  pthread_cond_t wake;
  pthread_t thread;
  char pad[64];
};

struct fe_scheduler {
  struct futhark_context *ctx;
  struct fe_worker *workers;
  struct fe_site *sites;
  // How many workers there are to be, worker 0 included, and how many are running. Threads that could not be
  // started leave workers with empty queues behind, which do no harm.
  int threads, running;
  bool started;
  // Times, in ticks.
  double tiny, probe, worthwhile, grain_min, grain_max, wake_min, lengthy, sure;
  uint64_t spin, patience;
  pthread_mutex_t lock;
  char pad[64];
  // Workers without work, of which asleep; and those that are awake and could take anything.
  atomic_int hungry, sleeping, spinning;
  atomic_bool stop;
  char more_pad[64];
};

// The worker that this thread is, if it is one that we started.
static _Thread_local struct fe_worker *fe_thread_worker;

static inline struct fe_worker *fe_self(struct fe_scheduler *s) {
  struct fe_worker *self = fe_thread_worker;
  return self != NULL && self->scheduler == s ? self : &s->workers[0];
}

static void fe_run_range(struct fe_worker *w, struct fe_range range);
static bool fe_region_done(struct fe_region *region);

// Wakes a worker. The lock is held.
static void fe_wake_locked(struct fe_scheduler *s, struct fe_worker *w) {
  atomic_store(&w->sleeping, false);
  atomic_fetch_sub(&s->sleeping, 1);
  if (w->limit <= 1) {
    atomic_fetch_add(&s->spinning, 1);
  }
  pthread_cond_signal(&w->wake);
}

// Wakes a certain worker if it sleeps.
static void fe_wake_worker(struct fe_scheduler *s, struct fe_worker *w) {
  if (atomic_load(&w->sleeping)) {
    pthread_mutex_lock(&s->lock);
    if (atomic_load(&w->sleeping)) {
      fe_wake_locked(s, w);
    }
    pthread_mutex_unlock(&s->lock);
  }
}

// Somebody ought to look for ranges of this depth: wakes a worker if none is looking and one sleeps.
static void fe_wake_any(struct fe_scheduler *s, int depth) {
  if (atomic_load(&s->sleeping) == 0 || atomic_load(&s->spinning) > 0) {
    return;
  }
  pthread_mutex_lock(&s->lock);
  struct fe_worker *best = NULL;
  for (int i = 0; i < s->threads; i++) {
    struct fe_worker *w = &s->workers[i];
    if (atomic_load(&w->sleeping) && w->limit <= depth && (best == NULL || w->limit < best->limit)) {
      best = w;
    }
  }
  if (best != NULL) {
    fe_wake_locked(s, best);
  }
  pthread_mutex_unlock(&s->lock);
}

// There is work of this depth for so many others: wakes them, if they sleep, all at once. One that wakes another would take
// long to have woken all.
static void fe_wake_several(struct fe_scheduler *s, int depth, int count) {
  if (count <= 0 || atomic_load(&s->sleeping) == 0) {
    return;
  }
  pthread_mutex_lock(&s->lock);
  for (int i = 0; i < s->threads && count > 0; i++) {
    struct fe_worker *w = &s->workers[i];
    if (atomic_load(&w->sleeping) && w->limit <= depth) {
      fe_wake_locked(s, w);
      count--;
    }
  }
  pthread_mutex_unlock(&s->lock);
}

static bool fe_work_visible(struct fe_scheduler *s, int depth) {
  for (int i = 0; i < s->threads; i++) {
    struct fe_worker *w = &s->workers[i];
    if (fe_deque_visible(&w->deque, depth) || fe_portion_visible(&w->portion, depth)) {
      return true;
    }
  }
  return false;
}

// Takes the worker's own portion, or looks once into the queues of all others, from a random one on, and at their portions
// if they had time to take them.
static bool fe_steal(struct fe_worker *w, int depth, bool late, struct fe_range *range) {
  struct fe_scheduler *s = w->scheduler;
  if (fe_portion_take(&w->portion, depth, range)) {
    return true;
  }
  w->random = w->random * 1664525u + 1013904223u;
  int victim = (int)((w->random >> 8) % (uint32_t)s->threads);
  for (int i = 0; i < s->threads; i++) {
    struct fe_worker *other = &s->workers[victim];
    if (other != w
        && (fe_deque_steal(&other->deque, depth, range) || (late && fe_portion_take(&other->portion, depth, range)))) {
      return true;
    }
    victim = victim + 1 == s->threads ? 0 : victim + 1;
  }
  return false;
}

// Whether there is nothing more to wait for: the region has ended or, without one, the pool has.
static bool fe_wait_over(struct fe_scheduler *s, struct fe_region *region) {
  return region != NULL ? fe_region_done(region) : atomic_load(&s->stop);
}

// Sleeps until woken, unless there is something to do after all.
static void fe_sleep(struct fe_worker *w, int depth, struct fe_region *region) {
  struct fe_scheduler *s = w->scheduler;
  pthread_mutex_lock(&s->lock);
  w->limit = depth;
  // First say that we sleep, then look again; others first push, then look who sleeps.
  atomic_store(&w->sleeping, true);
  atomic_fetch_add(&s->sleeping, 1);
  if (depth <= 1) {
    atomic_fetch_sub(&s->spinning, 1);
  }
  if (fe_wait_over(s, region) || fe_work_visible(s, depth)) {
    fe_wake_locked(s, w);
  }
  while (atomic_load(&w->sleeping)) {
    pthread_cond_wait(&w->wake, &s->lock);
  }
  pthread_mutex_unlock(&s->lock);
}

// Finds a range of at least the given depth. False if there is nothing more to wait for.
static bool fe_find(struct fe_worker *w, int depth, struct fe_region *region, struct fe_range *range) {
  struct fe_scheduler *s = w->scheduler;
  if (fe_wait_over(s, region)) {
    return false;
  }
  if (fe_steal(w, depth, false, range)) {
    return true;
  }
  bool found = false;
  atomic_fetch_add(&s->hungry, 1);
  if (depth <= 1) {
    atomic_fetch_add(&s->spinning, 1);
  }
  uint64_t start = fe_ticks(), spent = 0;
  while (!fe_wait_over(s, region) && !(found = fe_steal(w, depth, spent >= s->patience, range))) {
    spent = fe_ticks_since(start);
    if (spent > s->spin) {
      fe_sleep(w, depth, region);
      start = fe_ticks();
    } else if (spent > s->spin / 2) {
      // Should the one that we are waiting for have no core, this gives it ours.
      sched_yield();
    } else {
      for (int i = 0; i < 16; i++) {
        fe_pause();
      }
    }
  }
  atomic_fetch_sub(&s->hungry, 1);
  if (depth <= 1 && atomic_fetch_sub(&s->spinning, 1) == 1 && found && fe_work_visible(s, depth)) {
    fe_wake_any(s, depth);
  }
  return found;
}

static void *fe_worker_main(void *arg) {
  struct fe_worker *w = arg;
  fe_thread_worker = w;
  struct fe_range range;
  while (fe_find(w, 1, NULL, &range)) {
    fe_run_range(w, range);
  }
  return NULL;
}

// Starts the threads. If the system refuses some, there are fewer.
static void fe_pool_start(struct fe_scheduler *s) {
  // Signals are the business of the program that we are in, except those about what a thread did itself.
  sigset_t blocked, old;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGSEGV);
  sigdelset(&blocked, SIGBUS);
  sigdelset(&blocked, SIGFPE);
  sigdelset(&blocked, SIGILL);
  sigdelset(&blocked, SIGABRT);
  sigdelset(&blocked, SIGTRAP);
  sigdelset(&blocked, SIGPROF);
  s->started = true;
  bool masked = pthread_sigmask(SIG_SETMASK, &blocked, &old) == 0;
  int running = 1;
  while (running < s->threads
         && pthread_create(&s->workers[running].thread, NULL, fe_worker_main, &s->workers[running]) == 0) {
    running++;
  }
  if (masked) {
    pthread_sigmask(SIG_SETMASK, &old, NULL);
  }
  s->running = running;
}

// Ends the threads; there is no region.
static void fe_pool_stop(struct fe_scheduler *s) {
  if (!s->started) {
    return;
  }
  pthread_mutex_lock(&s->lock);
  atomic_store(&s->stop, true);
  for (int i = 1; i < s->running; i++) {
    if (atomic_load(&s->workers[i].sleeping)) {
      fe_wake_locked(s, &s->workers[i]);
    }
  }
  pthread_mutex_unlock(&s->lock);
  for (int i = 1; i < s->running; i++) {
    pthread_join(s->workers[i].thread, NULL);
  }
}

#endif
