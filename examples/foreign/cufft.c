// The foreign functions of fft.fut for CUDA, by cuFFT. Arrays are in the memory of the device, in the form that cuFFT wants, and its
// work is put on the stream of the program, so that nothing is copied and nobody waits.

#include <cufft.h>
#include <limits.h>
#include <stdint.h>

// The plan for the last shape: programs mostly have one.
static cufftHandle plan;
static int64_t planned_count = -1, planned_n = -1;

static int ready(void *stream, int64_t count, int64_t n) {
  if (count != planned_count || n != planned_n) {
    if (planned_n >= 0) {
      cufftDestroy(plan);
    }
    planned_n = -1;
    if (n > INT_MAX || count > INT_MAX || cufftPlan1d(&plan, (int)n, CUFFT_C2C, (int)count) != CUFFT_SUCCESS) {
      return 1;
    }
    planned_count = count;
    planned_n = n;
  }
  return cufftSetStream(plan, (cudaStream_t)stream) != CUFFT_SUCCESS;
}

int cufft_many(void *stream, int64_t count, int64_t n, const float *xs, float *out) {
  if (count == 0 || n == 0) {
    return 0;
  }
  if (ready(stream, count, n)) {
    return 1;
  }
  // It does not write to its input if the output is elsewhere.
  return cufftExecC2C(plan, (cufftComplex *)(uintptr_t)xs, (cufftComplex *)out, CUFFT_FORWARD);
}

int cufft_one(void *stream, int64_t n, const float *xs, float *out) { return cufft_many(stream, 1, n, xs, out); }
