// The foreign functions of blas.fut, by any library with the interface of CBLAS.
//
// `fehu foreign --backend=c blas.fut` prints their prototypes; they are also in front of this file when it is compiled, so that
// a difference is an error. Elements are in row-major order, as CBLAS has them if it is told so.

#include <cblas.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

int blas_dot(int64_t n, const double *xs, const double *ys, double *out) {
  if (n > INT_MAX) {
    return 1;
  }
  *out = cblas_ddot((int)n, xs, 1, ys, 1);
  return 0;
}

int blas_product(int64_t n, int64_t m, int64_t k, const double *a, const double *b, double *out) {
  if (n > INT_MAX || m > INT_MAX || k > INT_MAX) {
    return 1;
  }
  if (n == 0 || k == 0) {
    return 0;
  }
  if (m == 0) {
    memset(out, 0, (size_t)(n * k) * sizeof *out);
    return 0;
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)k, (int)m, 1.0, a, (int)m, b, (int)k, 0.0, out, (int)k);
  return 0;
}
