// OpenCL does not say how many threads run in step, so nobody relies on it.

#define FE_WARP 1
