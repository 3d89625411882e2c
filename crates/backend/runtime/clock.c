// A clock that is cheap enough for loops of a microsecond: the processor's counter, if there is one.
//
// Times are in ticks of unknown length; fe_ticks_per_ns measures it.

#if defined(FE_MULTICORE) && defined(FE_THREADS)

static inline uint64_t fe_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t fe_ticks(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  return __builtin_ia32_rdtsc();
#elif defined(__GNUC__) && defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return fe_nanoseconds();
#endif
}

// Ticks since `start`. Counters of two cores may differ a little, so this is never "negative".
static inline uint64_t fe_ticks_since(uint64_t start) {
  uint64_t now = fe_ticks();
  return now > start ? now - start : 0;
}

// The length of a tick, from the median of three measurements of 10 us: one of them may be interrupted.
static double fe_ticks_per_ns(void) {
  double ratio[3];
  for (int i = 0; i < 3; i++) {
    uint64_t ns = fe_nanoseconds(), ticks = fe_ticks(), now;
    do {
      now = fe_nanoseconds();
    } while (now - ns < 10000);
    ratio[i] = (double)fe_ticks_since(ticks) / (double)(now - ns);
  }
  double low = ratio[0] < ratio[1] ? ratio[0] : ratio[1];
  double high = ratio[0] < ratio[1] ? ratio[1] : ratio[0];
  double median = ratio[2] < low ? low : ratio[2] > high ? high : ratio[2];
  return median < 0.001 ? 0.001 : median > 100 ? 100 : median;
}

// Tells the processor that this is a waiting loop.
static inline void fe_pause(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
