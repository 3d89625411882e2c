// The foreign functions of fft.fut in plain C: halves the problem as long as the size is even.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  float re, im;
} complex_number;

// A number times exp(-2 pi i k / n), added to another one.
static complex_number turned(complex_number sum, complex_number x, int64_t k, int64_t n) {
  const double angle = -2 * acos(-1.0) * (double)k / (double)n, c = cos(angle), s = sin(angle);
  sum.re += (float)(x.re * c - x.im * s);
  sum.im += (float)(x.re * s + x.im * c);
  return sum;
}

// The transform of every stride-th number; `other` has room for n numbers.
static void transform(int64_t n, int64_t stride, const complex_number *xs, complex_number *out, complex_number *other) {
  if (n % 2 != 0) {
    for (int64_t k = 0; k < n; k++) {
      out[k] = (complex_number){0, 0};
      for (int64_t j = 0; j < n; j++) {
        out[k] = turned(out[k], xs[j * stride], j * k % n, n);
      }
    }
    return;
  }
  const int64_t half = n / 2;
  transform(half, 2 * stride, xs, other, out);
  transform(half, 2 * stride, xs + stride, other + half, out + half);
  for (int64_t k = 0; k < n; k++) {
    out[k] = turned(other[k % half], other[half + k % half], k, n);
  }
}

int fft_many(int64_t count, int64_t n, const float *xs, float *out) {
  complex_number *other = malloc((n > 0 ? (size_t)n : 1) * sizeof *other);
  if (other == NULL) {
    return 1;
  }
  for (int64_t i = 0; i < count && n > 0; i++) {
    transform(n, 1, (const complex_number *)xs + i * n, (complex_number *)out + i * n, other);
  }
  free(other);
  return 0;
}

int fft_one(int64_t n, const float *xs, float *out) { return fft_many(1, n, xs, out); }
