// The foreign functions of fft.fut for CUDA, by cuFFT. It has complex numbers where the program has two arrays, and so both are
// copied, by copies with strides on the stream of the program.

#include <cuda_runtime_api.h>
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

int cufft_many(void *stream, int64_t count, int64_t n, const float *re, const float *im, float *out_0, float *out_1) {
  const size_t total = (size_t)(count * n), one = sizeof(float), two = sizeof(cufftComplex);
  if (total == 0) {
    return 0;
  }
  cudaStream_t on = (cudaStream_t)stream;
  float *both = NULL;
  if (ready(stream, count, n) || cudaMallocAsync((void **)&both, total * two, on) != cudaSuccess) {
    return 1;
  }
  int failed = cudaMemcpy2DAsync(both, two, re, one, one, total, cudaMemcpyDeviceToDevice, on) != cudaSuccess ||
               cudaMemcpy2DAsync(both + 1, two, im, one, one, total, cudaMemcpyDeviceToDevice, on) != cudaSuccess ||
               cufftExecC2C(plan, (cufftComplex *)both, (cufftComplex *)both, CUFFT_FORWARD) != CUFFT_SUCCESS ||
               cudaMemcpy2DAsync(out_0, one, both, two, one, total, cudaMemcpyDeviceToDevice, on) != cudaSuccess ||
               cudaMemcpy2DAsync(out_1, one, both + 1, two, one, total, cudaMemcpyDeviceToDevice, on) != cudaSuccess;
  failed |= cudaFreeAsync(both, on) != cudaSuccess;
  return failed;
}

int cufft_one(void *stream, int64_t n, const float *re, const float *im, float *out_0, float *out_1) {
  return cufft_many(stream, 1, n, re, im, out_0, out_1);
}
