// The foreign functions of blas.fut for CUDA, by cuBLAS. Arrays are in the memory of the device, and work is put on the stream of
// the program, so that nothing has to wait; only a scalar result, which is the host's, is waited for.

#include <cublas_v2.h>
#include <limits.h>
#include <stdint.h>

// One for the whole program: its stream is always the same.
static cublasHandle_t handle;

static int ready(void *stream) {
  if (handle == NULL && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    return 1;
  }
  return cublasSetStream(handle, (cudaStream_t)stream) != CUBLAS_STATUS_SUCCESS;
}

int cublas_dot(void *stream, int64_t n, const double *xs, const double *ys, double *out) {
  if (n > INT_MAX || ready(stream)) {
    return 1;
  }
  return cublasDdot(handle, (int)n, xs, 1, ys, 1, out);
}

int cublas_product(void *stream, int64_t n, int64_t m, int64_t k, const double *a, const double *b, double *out) {
  if (n > INT_MAX || m > INT_MAX || k > INT_MAX || ready(stream)) {
    return 1;
  }
  if (n == 0 || k == 0) {
    return 0;
  }
  // cuBLAS has columns where we have rows: the transposed product is that of the transposed matrices in the other order.
  const double one = 1, zero = 0;
  const int rows = (int)k, columns = (int)n, inner = (int)m;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, inner, &one, b, rows, a, inner > 0 ? inner : 1, &zero, out,
                     rows);
}
