// What parallel loops cost on the scheduler of multicore programs, beside OpenMP in the same run.
//
//   gcc -std=c11 -O3 -march=native -fopenmp -iquote crates/backend/runtime -iquote crates/backend/tests/c bench/scheduler.c -o /tmp/bench_scheduler -pthread
//   OMP_WAIT_POLICY=passive /tmp/bench_scheduler [THREADS]
//
// Prints medians of many runs, for 1, 2, 4, ... threads, up to the number of cores or THREADS:
// - tiny: a loop of 8 short iterations, which ought to stay sequential (OpenMP is not told so);
// - region: a loop of 100 us in all, minus its share of the work: what going parallel costs;
// - sum: 2^24 floats, bound by memory;
// - mandelbrot: rows of very different cost, against OpenMP's schedule(dynamic) and schedule(static);
// - nested: 4 rows, each with a loop of 100,000 cheap iterations (OpenMP: over the rows only).

#include "fake_context.h"
#include <omp.h>

enum { TINY = 8, ROWS = 400, COLUMNS = 600, SUM = 1 << 24, OUTER = 4, INNER = 100000 };

static volatile float sink[64];
static float *data;

static void spin_work(int64_t lo, int64_t hi, int64_t rounds) {
  for (int64_t i = lo; i < hi; i++) {
    float x = (float)i;
    for (int64_t r = 0; r < rounds; r++) {
      x = x * 0.999f + 1.0f;
    }
    sink[i & 63] = x;
  }
}

static void mandelbrot_rows(int64_t lo, int64_t hi) {
  int total = 0;
  for (int64_t y = lo; y < hi; y++) {
    for (int x = 0; x < COLUMNS; x++) {
      double cr = -2.0 + 3.0 * x / COLUMNS, ci = 1.0 * (double)y / ROWS, zr = 0, zi = 0;
      int i = 0;
      for (; i < 500 && zr * zr + zi * zi < 4; i++) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
      }
      total += i;
    }
  }
  sink[lo & 63] = (float)total;
}

static float sum_range(int64_t lo, int64_t hi) {
  float sums[16] = {0};
  int64_t i = lo;
  for (; i + 16 <= hi; i += 16) {
    for (int k = 0; k < 16; k++) {
      sums[k] += data[i + k];
    }
  }
  for (; i < hi; i++) {
    sums[0] += data[i];
  }
  for (int k = 1; k < 16; k++) {
    sums[0] += sums[k];
  }
  return sums[0];
}

static int tiny_task(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)ctx, (void)env, (void)chunk;
  spin_work(lo, hi, 2);
  return 0;
}

static int region_task(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)ctx, (void)chunk;
  spin_work(lo, hi, *(int64_t *)env);
  return 0;
}

static int mandelbrot_task(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)ctx, (void)env, (void)chunk;
  mandelbrot_rows(lo, hi);
  return 0;
}

static int sum_task(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)ctx;
  ((float *)env)[16 * chunk] = sum_range(lo, hi);
  return 0;
}

static int inner_task(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)ctx, (void)env, (void)chunk;
  spin_work(lo, hi, 20);
  return 0;
}

static int outer_task(struct futhark_context *ctx, void *env, int64_t chunk, int64_t lo, int64_t hi) {
  (void)env, (void)chunk;
  int error = 0;
  for (int64_t i = lo; i < hi && error == 0; i++) {
    error = fe_parallel_for(ctx, 5, inner_task, NULL, INNER);
  }
  return error;
}

struct setting {
  struct futhark_context *ctx;
  int threads;
  int64_t rounds; // of region
};

static void fe_tiny(struct setting *s) { fe_parallel_for(s->ctx, 0, tiny_task, NULL, TINY); }
static void fe_regions(struct setting *s) { fe_parallel_for(s->ctx, 1, region_task, &s->rounds, 256); }
static void fe_mandelbrot(struct setting *s) { fe_parallel_for(s->ctx, 2, mandelbrot_task, NULL, ROWS); }
static void fe_nested(struct setting *s) { fe_parallel_for(s->ctx, 4, outer_task, NULL, OUTER); }
static void fe_sum(struct setting *s) {
  float sums[16 * 256], sum = 0;
  int chunks = fe_chunks(s->ctx, 3, SUM);
  fe_parallel_chunks(s->ctx, 3, sum_task, sums, SUM, chunks);
  for (int i = 0; i < chunks; i++) {
    sum += sums[16 * i];
  }
  sink[0] = sum;
}

static void omp_tiny(struct setting *s) {
#pragma omp parallel for num_threads(s->threads)
  for (int64_t i = 0; i < TINY; i++) {
    spin_work(i, i + 1, 2);
  }
}
static void omp_regions(struct setting *s) {
#pragma omp parallel for num_threads(s->threads)
  for (int64_t i = 0; i < 256; i++) {
    spin_work(i, i + 1, s->rounds);
  }
}
static void omp_mandelbrot(struct setting *s) {
#pragma omp parallel for num_threads(s->threads) schedule(dynamic)
  for (int64_t i = 0; i < ROWS; i++) {
    mandelbrot_rows(i, i + 1);
  }
}
static void omp_mandelbrot_static(struct setting *s) {
#pragma omp parallel for num_threads(s->threads)
  for (int64_t i = 0; i < ROWS; i++) {
    mandelbrot_rows(i, i + 1);
  }
}
static void omp_nested(struct setting *s) {
#pragma omp parallel for num_threads(s->threads)
  for (int64_t i = 0; i < OUTER; i++) {
    spin_work(0, INNER, 20);
  }
}
static void omp_sum(struct setting *s) {
  float sum = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : sum)
  for (int64_t i = 0; i < 256; i++) {
    sum += sum_range(i * (SUM / 256), (i + 1) * (SUM / 256));
  }
  sink[0] = sum;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median in microseconds of a number of runs; `inside` calls are one run, so that short ones can be timed.
static double median(void (*f)(struct setting *), struct setting *s, int runs, int inside) {
  double times[1000];
  for (int i = 0; i < 5; i++) {
    f(s);
  }
  for (int i = 0; i < runs; i++) {
    uint64_t start = fe_nanoseconds();
    for (int k = 0; k < inside; k++) {
      f(s);
    }
    times[i] = (double)(fe_nanoseconds() - start) / 1000 / inside;
  }
  qsort(times, (size_t)runs, sizeof(double), compare);
  return times[runs / 2];
}

static void row(const char *name, double fe, double fe1, double omp, double omp1) {
  printf("  %-20s %12.3f us (%5.2fx)   OpenMP %12.3f us (%5.2fx)\n", name, fe, fe1 / fe, omp, omp1 / omp);
}

int main(int argc, char **argv) {
  int most = argc > 1 ? atoi(argv[1]) : fe_cores();
  data = malloc(SUM * sizeof(float));
  for (int64_t i = 0; i < SUM; i++) {
    data[i] = (float)(i & 7);
  }
  double one[6] = {0}, omp_one[6] = {0};
  struct setting s = {NULL, 1, 1};
  // A loop of about 100 us.
  while (s.rounds < 1000000) {
    uint64_t start = fe_nanoseconds();
    spin_work(0, 256, s.rounds);
    if (fe_nanoseconds() - start >= 100000) {
      break;
    }
    s.rounds += s.rounds / 8 + 1;
  }
  double tiny = 0;
  {
    uint64_t start = fe_nanoseconds();
    for (int i = 0; i < 1000000; i++) {
      spin_work(0, TINY, 2);
    }
    tiny = (double)(fe_nanoseconds() - start) / 1e9;
  }
  printf("times of runs (and speedup over one thread); a plain tiny loop takes %.3f us\n", tiny);
  for (int threads = 1; threads <= most; threads = threads < most && 2 * threads > most ? most : 2 * threads) {
    struct futhark_context_config cfg = {threads};
    struct futhark_context ctx = {&cfg, NULL};
    if (fe_scheduler_init(&ctx) != 0) {
      return 1;
    }
    s.ctx = &ctx;
    s.threads = threads;
    static const struct { const char *name; void (*fe)(struct setting *), (*omp)(struct setting *); int runs, inside; } rows[] = {
      {"tiny", fe_tiny, omp_tiny, 100, 1000},       {"region", fe_regions, omp_regions, 1000, 1},
      {"sum", fe_sum, omp_sum, 50, 1},              {"mandelbrot, dynamic", fe_mandelbrot, omp_mandelbrot, 10, 1},
      {"mandelbrot, static", fe_mandelbrot, omp_mandelbrot_static, 10, 1}, {"nested", fe_nested, omp_nested, 20, 1},
    };
    printf("%d threads\n", threads);
    for (int i = 0; i < 6; i++) {
      double fe = median(rows[i].fe, &s, rows[i].runs, rows[i].inside);
      double omp = median(rows[i].omp, &s, rows[i].runs, rows[i].inside);
      if (threads == 1) {
        one[i] = fe;
        omp_one[i] = omp;
      }
      row(rows[i].name, fe, one[i], omp, omp_one[i]);
      if (i == 1) {
        printf("  %-20s %12.3f us            OpenMP %12.3f us\n", "- beyond its share", fe - one[1] / threads,
               omp - omp_one[1] / threads);
      }
    }
    fe_scheduler_free(&ctx);
  }
  free(data);
  return 0;
}
