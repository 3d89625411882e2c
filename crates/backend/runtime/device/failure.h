// Checks that fail in kernels. The failure buffer is in global memory; the host inspects it when it waits for the
// device, and relies on the same layout: see gpu/failure.h.

#define FE_FAILURE_VALUES 16

struct fe_failure {
  int32_t check; // one more than the number of the check; 0: none has failed
  int32_t launch; // the number of the launch in which it failed
  int64_t values[FE_FAILURE_VALUES];
#ifndef __OPENCL_VERSION__
  volatile int32_t *told; // memory of the host's: not zero if a check has failed
#endif
};

// Behind it there are locks, and then counters, as many as gpu/state.h says.
#define FE_LOCKS (1 << 16)

// The first parameters of kernels.
#ifdef __OPENCL_VERSION__
#define FE_FAILURE FE_GLOBAL struct fe_failure *failure, FE_LOCAL unsigned char *fe_dynamic, const int32_t launch
#else
#define FE_FAILURE FE_GLOBAL struct fe_failure *failure, const int32_t launch
#endif

// Whether some check has failed in a launch before this one. What fails in this one does not count: then the threads of a
// block could disagree about it, and some would wait at a barrier for others that have returned. All threads ask for the
// same word: they had better find it in their cache.
FE_DEVICE bool fe_failed(const FE_GLOBAL struct fe_failure *failure, int32_t launch) {
  const int32_t failed = failure->launch;
  return failed != 0 && failed != launch;
}

// Whether this is the first check to fail. If so, the caller writes the values that the message shows.
FE_DEVICE bool fe_claim(FE_GLOBAL struct fe_failure *failure, int32_t launch, int32_t check) {
  bool first = fe_cas_32((FE_GLOBAL uint32_t *)&failure->check, 0, (uint32_t)check + 1) == 0;
  if (first) {
    failure->launch = launch;
#ifndef __OPENCL_VERSION__
    *failure->told = 1;
#endif
  }
  return first;
}

// Locks for updates that take several steps. Who has one gives it back before it waits for anything: the threads of a
// warp go on together.
FE_DEVICE FE_GLOBAL uint32_t *fe_lock_at(FE_GLOBAL struct fe_failure *failure, int64_t number) {
  return (FE_GLOBAL uint32_t *)(failure + 1) + ((uint64_t)number & (FE_LOCKS - 1));
}
FE_DEVICE bool fe_try_lock(FE_GLOBAL struct fe_failure *failure, int64_t number) {
  const bool free = fe_cas_32(fe_lock_at(failure, number), 0, 1) == 0;
  FE_FENCE();
  return free;
}
FE_DEVICE void fe_unlock(FE_GLOBAL struct fe_failure *failure, int64_t number) {
  FE_FENCE();
  fe_swap_32(fe_lock_at(failure, number), 0);
}

// Counts a block, on behalf of all its threads, between barriers: whether it is the last one of so many to come to a counter. What
// all of them have written before is seen by the last one after.
FE_DEVICE bool fe_is_last(FE_GLOBAL struct fe_failure *failure, int64_t counter, int64_t of) {
  FE_GLOBAL int32_t *const count = (FE_GLOBAL int32_t *)(failure + 1) + FE_LOCKS + counter;
  FE_FENCE();
  const bool last = fe_atomic_add_i32(count, 1) == (int32_t)of - 1;
  if (last) {
    *count = 0;
  }
  FE_FENCE();
  return last;
}
