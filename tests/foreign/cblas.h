// The part of CBLAS that examples/foreign/blas.c uses, so that it can be tested where there is none.
#pragma once

enum { CblasRowMajor = 101, CblasNoTrans = 111 };

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
