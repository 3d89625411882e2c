// See cblas.h: as slow as it is short.
#include "cblas.h"

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i * incx] * y[i * incy];
  }
  return sum;
}

void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc) {
  (void)order;
  (void)transa;
  (void)transb;
  (void)beta;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      c[i * ldc + j] = alpha * cblas_ddot(k, a + i * lda, 1, b + j, ldb);
    }
  }
}
