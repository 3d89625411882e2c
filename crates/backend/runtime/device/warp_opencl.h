// OpenCL does not specify how many threads run in lock-step, so nothing relies on it.

#define FE_WARP 1

// So all threads do what a warp would do.
#define FE_WARP_BARRIER() FE_BARRIER()
#define FE_IN_FIRST_WARP() true

// Shuffles are in groups of 32 threads all the same, through memory that the block shares. OpenCL has functions for it
// (cl_khr_subgroup_shuffle), but the size of subgroups is the device's choice, and PoCL has none.
#define FE_LANES(threads) FE_SHARED uint64_t fe_lanes[threads];
#define FE_OF_LANE(TYPE, number) ((FE_LOCAL TYPE *)fe_lanes)[number]
#define FE_SHUFFLE(TYPE, to, from, v)                                                                   \
  do {                                                                                                  \
    FE_OF_LANE(TYPE, fe_thread_id()) = (v);                                                             \
    FE_BARRIER();                                                                                       \
    to = FE_OF_LANE(TYPE, from);                                                                        \
    FE_BARRIER();                                                                                       \
  } while (0)

FE_DEVICE int fe_lane_above(int64_t delta) {
  const int64_t thread = fe_thread_id(), lane = thread % 32;
  return (int)(delta < 32 - lane ? thread + delta : thread);
}
FE_DEVICE int fe_lane_below(int64_t delta) {
  const int64_t thread = fe_thread_id(), lane = thread % 32;
  return (int)(delta <= lane ? thread - delta : thread);
}

#define FE_SHUFFLE_DOWN(NAME, TYPE, to, delta, v) FE_SHUFFLE(TYPE, to, fe_lane_above(delta), v)
#define FE_SHUFFLE_UP(NAME, TYPE, to, delta, v) FE_SHUFFLE(TYPE, to, fe_lane_below(delta), v)
#define FE_SHUFFLE_AT(NAME, TYPE, to, lane, v) FE_SHUFFLE(TYPE, to, fe_thread_id() / 32 * 32 + (int)(lane), v)
