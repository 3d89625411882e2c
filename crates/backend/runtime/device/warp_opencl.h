// OpenCL does not specify how many threads run in lock-step, so nothing relies on it.

#define FE_WARP 1

// So all threads do what a warp would do.
#define FE_WARP_BARRIER() FE_BARRIER()
#define FE_IN_FIRST_WARP() true
