// The foreign functions of fft.fut in plain C: halves the problem as long as the size is even.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The transform of every stride-th element; `other` has room for n numbers of each kind.
static void transform(int64_t n, int64_t stride, const float *re, const float *im, float *out_re, float *out_im, float *other_re,
                      float *other_im) {
  if (n % 2 != 0) {
    for (int64_t k = 0; k < n; k++) {
      double sum_re = 0, sum_im = 0;
      for (int64_t j = 0; j < n; j++) {
        const double angle = -2 * acos(-1.0) * (double)(j * k % n) / (double)n;
        const double x = re[j * stride], y = im[j * stride];
        sum_re += x * cos(angle) - y * sin(angle);
        sum_im += x * sin(angle) + y * cos(angle);
      }
      out_re[k] = (float)sum_re;
      out_im[k] = (float)sum_im;
    }
    return;
  }
  const int64_t half = n / 2;
  transform(half, 2 * stride, re, im, other_re, other_im, out_re, out_im);
  transform(half, 2 * stride, re + stride, im + stride, other_re + half, other_im + half, out_re + half, out_im + half);
  for (int64_t k = 0; k < half; k++) {
    const double angle = -2 * acos(-1.0) * (double)k / (double)n, c = cos(angle), s = sin(angle);
    const double x = other_re[half + k], y = other_im[half + k];
    const double turned_re = x * c - y * s, turned_im = x * s + y * c;
    out_re[k] = (float)(other_re[k] + turned_re);
    out_im[k] = (float)(other_im[k] + turned_im);
    out_re[half + k] = (float)(other_re[k] - turned_re);
    out_im[half + k] = (float)(other_im[k] - turned_im);
  }
}

int fft_many(int64_t count, int64_t n, const float *re, const float *im, float *out_0, float *out_1) {
  float *other = malloc((n > 0 ? (size_t)n : 1) * 2 * sizeof *other);
  if (other == NULL) {
    return 1;
  }
  for (int64_t i = 0; i < count && n > 0; i++) {
    transform(n, 1, re + i * n, im + i * n, out_0 + i * n, out_1 + i * n, other, other + n);
  }
  free(other);
  return 0;
}

int fft_one(int64_t n, const float *re, const float *im, float *out_0, float *out_1) {
  return fft_many(1, n, re, im, out_0, out_1);
}
