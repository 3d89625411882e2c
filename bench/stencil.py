#!/usr/bin/env python3
"""Do stencils gain by tiles with borders in shared memory on this device? One kernel each way, by turns; needs CuPy.

Runs for about 20 s. Prints microseconds (median of 21) and the share of the bandwidth that reading and writing each element once takes.
"""
import cupy as cp, statistics

SRC = r'''
extern "C" __global__ void plain2(const float* a, const float* p, float* b, int h, int w) {
  long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (t >= (long long)h * w) return;
  int i = t / w, j = t % w;
  float c = a[t], n = i ? a[t - w] : c, s = i < h - 1 ? a[t + w] : c, l = j ? a[t - 1] : c, r = j < w - 1 ? a[t + 1] : c;
  b[t] = c + 0.1f * (p[t] + n + s - 2 * c + l + r - 2 * c);
}
extern "C" __global__ void tiled2(const float* a, const float* p, float* b, int h, int w) {
  __shared__ float x[10][34];
  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  for (int t = threadIdx.y * 32 + threadIdx.x; t < 340; t += 256) {
    int y = min(max((int)blockIdx.y * 8 + t / 34 - 1, 0), h - 1), z = min(max((int)blockIdx.x * 32 + t % 34 - 1, 0), w - 1);
    x[t / 34][t % 34] = a[(long long)y * w + z];
  }
  __syncthreads();
  if (i >= h || j >= w) return;
  int u = threadIdx.y + 1, v = threadIdx.x + 1;
  float c = x[u][v];
  b[(long long)i * w + j] = c + 0.1f * (p[(long long)i * w + j] + x[u - 1][v] + x[u + 1][v] - 2 * c + x[u][v - 1] + x[u][v + 1] - 2 * c);
}
extern "C" __global__ void wide2(const float* a, float* b, int h, int w) {
  long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (t >= (long long)h * w) return;
  int i = t / w, j = t % w;
  float s = 0;
  for (int y = -4; y <= 4; y++) for (int x = -4; x <= 4; x++)
    s += a[(long long)min(max(i + y, 0), h - 1) * w + min(max(j + x, 0), w - 1)];
  b[t] = s;
}
extern "C" __global__ void widetiled2(const float* a, float* b, int h, int w) {
  __shared__ float x[16][40];
  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  for (int t = threadIdx.y * 32 + threadIdx.x; t < 640; t += 256) {
    int y = min(max((int)blockIdx.y * 8 + t / 40 - 4, 0), h - 1), z = min(max((int)blockIdx.x * 32 + t % 40 - 4, 0), w - 1);
    x[t / 40][t % 40] = a[(long long)y * w + z];
  }
  __syncthreads();
  if (i >= h || j >= w) return;
  float s = 0;
  for (int y = 0; y < 9; y++) for (int z = 0; z < 9; z++) s += x[threadIdx.y + y][threadIdx.x + z];
  b[(long long)i * w + j] = s;
}
extern "C" __global__ void plain3(const float* a, float* b, int n) {
  long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x, m = (long long)n * n;
  if (t >= m * n) return;
  int k = t % n, j = t / n % n, i = t / m;
  float c = a[t];
  b[t] = c * 0.4f + 0.1f * ((i ? a[t - m] : c) + (i < n - 1 ? a[t + m] : c) + (j ? a[t - n] : c) + (j < n - 1 ? a[t + n] : c)
       + (k ? a[t - 1] : c) + (k < n - 1 ? a[t + 1] : c));
}
extern "C" __global__ void tiled3(const float* a, float* b, int n) {
  // Planes are walked through: two neighbours are in registers, four in shared memory.
  __shared__ float x[10][34];
  long long m = (long long)n * n;
  int k = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, from = blockIdx.z * 32, to = min(from + 32, n);
  int kk = min(k, n - 1), jj = min(j, n - 1), u = threadIdx.y + 1, v = threadIdx.x + 1;
  float below = a[max(from - 1, 0) * m + (long long)jj * n + kk], c = a[from * m + (long long)jj * n + kk];
  for (int i = from; i < to; i++) {
    float above = a[min(i + 1, n - 1) * m + (long long)jj * n + kk];
    __syncthreads();
    for (int t = threadIdx.y * 32 + threadIdx.x; t < 340; t += 256) {
      int y = min(max((int)blockIdx.y * 8 + t / 34 - 1, 0), n - 1), z = min(max((int)blockIdx.x * 32 + t % 34 - 1, 0), n - 1);
      x[t / 34][t % 34] = a[i * m + (long long)y * n + z];
    }
    __syncthreads();
    if (k < n && j < n) b[i * m + (long long)j * n + k] = c * 0.4f + 0.1f * (below + above + x[u - 1][v] + x[u + 1][v] + x[u][v - 1] + x[u][v + 1]);
    below = c, c = above;
  }
}
'''
mod = cp.RawModule(code=SRC)


def time(pairs):
    got = {name: [] for name, _ in pairs}
    for round in range(22):
        for name, go in pairs:
            a, b = cp.cuda.Event(), cp.cuda.Event()
            a.record()
            for _ in range(10):
                go()
            b.record(), b.synchronize()
            if round:
                got[name].append(cp.cuda.get_elapsed_time(a, b) * 100)
    return {name: statistics.median(times) for name, times in got.items()}


def show(what, times, least, same):
    first = None
    for name, us in times.items():
        first = first or us
        print(f"{what:22} {name:11} {us:9.1f} us  {first / us:5.2f}x  {least / us / 1e3 / 4800:6.1%} of 4.8 TB/s  same: {same}")


for n in (1024, 4096, 16384):
    a, p = cp.random.rand(n, n, dtype=cp.float32), cp.random.rand(n, n, dtype=cp.float32)
    b, c = cp.empty_like(a), cp.empty_like(a)
    flat, grid = ((n * n + 255) // 256,), ((n + 31) // 32, (n + 7) // 8)
    pairs = [("plain", lambda: mod.get_function("plain2")(flat, (256,), (a, p, b, n, n))),
             ("tile", lambda: mod.get_function("tiled2")(grid, (32, 8), (a, p, c, n, n)))]
    times = time(pairs)
    show(f"hotspot {n}", times, 12 * n * n, bool(cp.allclose(b, c)))
    pairs = [("plain", lambda: mod.get_function("wide2")(flat, (256,), (a, b, n, n))),
             ("tile", lambda: mod.get_function("widetiled2")(grid, (32, 8), (a, c, n, n)))]
    times = time(pairs)
    show(f"9 x 9 {n}", times, 8 * n * n, bool(cp.allclose(b, c, rtol=1e-4)))
for n in (128, 512, 1000):
    a = cp.random.rand(n, n, n, dtype=cp.float32)
    b, c = cp.empty_like(a), cp.empty_like(a)
    flat, grid = ((n ** 3 + 255) // 256,), ((n + 31) // 32, (n + 7) // 8, (n + 31) // 32)
    pairs = [("plain", lambda: mod.get_function("plain3")(flat, (256,), (a, b, n))),
             ("tile", lambda: mod.get_function("tiled3")(grid, (32, 8), (a, c, n)))]
    times = time(pairs)
    show(f"7 points {n}", times, 8 * n ** 3, bool(cp.allclose(b, c, rtol=1e-4)))
