// Stencils by hand: plain, with a tile in shared memory (one or four rows for each thread), and with registers for four rows.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <string>
__device__ __forceinline__ int clampi(int v, int n) { return min(max(v, 0), n - 1); }
template <int R> __global__ void plain(const float* __restrict__ a, const float* __restrict__ k, float* b, int h, int w) {
  long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (t >= (long long)h * w) return;
  int i = t / w, j = t % w;
  float s = 0;
  for (int y = 0; y <= 2 * R; y++) for (int x = 0; x <= 2 * R; x++)
    s += k[y * (2 * R + 1) + x] * a[(long long)clampi(i + y - R, h) * w + clampi(j + x - R, w)];
  b[t] = s;
}
template <int R, int ROWS> __global__ void tiled(const float* __restrict__ a, const float* __restrict__ k, float* b, int h, int w) {
  const int H = 8 * ROWS + 2 * R, W = 32 + 2 * R;
  __shared__ float s[H][W];
  int j0 = blockIdx.x * 32, i0 = blockIdx.y * 8 * ROWS;
  for (int t = threadIdx.y * 32 + threadIdx.x; t < H * W; t += 256)
    s[t / W][t % W] = a[(long long)clampi(i0 + t / W - R, h) * w + clampi(j0 + t % W - R, w)];
  __syncthreads();
  for (int r = 0; r < ROWS; r++) {
    int u = threadIdx.y + 8 * r, i = i0 + u, j = j0 + threadIdx.x;
    float c = 0;
    for (int y = 0; y <= 2 * R; y++) for (int x = 0; x <= 2 * R; x++) c += k[y * (2 * R + 1) + x] * s[u + y][threadIdx.x + x];
    if (i < h && j < w) b[(long long)i * w + j] = c;
  }
}
template <int R, int ROWS> __global__ void regs(const float* __restrict__ a, const float* __restrict__ k, float* b, int h, int w) {
  const int H = 8 * ROWS + 2 * R, W = 32 + 2 * R, D = 2 * R + 1;
  __shared__ float s[H][W];
  int j0 = blockIdx.x * 32, i0 = blockIdx.y * 8 * ROWS;
  for (int t = threadIdx.y * 32 + threadIdx.x; t < H * W; t += 256)
    s[t / W][t % W] = a[(long long)clampi(i0 + t / W - R, h) * w + clampi(j0 + t % W - R, w)];
  __syncthreads();
  int u = threadIdx.y * ROWS, j = j0 + threadIdx.x;
  float c[ROWS] = {};
  for (int x = 0; x < D; x++) {
    float v[D + ROWS - 1];
#pragma unroll
    for (int y = 0; y < D + ROWS - 1; y++) v[y] = s[u + y][threadIdx.x + x];
#pragma unroll
    for (int y = 0; y < D; y++) {
      float f = k[y * D + x];
#pragma unroll
      for (int r = 0; r < ROWS; r++) c[r] += f * v[y + r];
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) if (i0 + u + r < h && j < w) b[(long long)(i0 + u + r) * w + j] = c[r];
}
template <int R> __global__ void plain1(const float* __restrict__ a, const float* __restrict__ k, float* b, int n) {
  int t = blockIdx.x * 256 + threadIdx.x;
  if (t >= n) return;
  float s = 0;
  for (int x = 0; x <= 2 * R; x++) s += k[x] * a[clampi(t + x - R, n)];
  b[t] = s;
}
template <int R> __global__ void tiled1(const float* __restrict__ a, const float* __restrict__ k, float* b, int n) {
  __shared__ float s[1024 + 2 * R];
  int i0 = blockIdx.x * 1024;
  for (int t = threadIdx.x; t < 1024 + 2 * R; t += 256) s[t] = a[clampi(i0 + t - R, n)];
  __syncthreads();
  for (int r = 0; r < 4; r++) {
    float c = 0;
    for (int x = 0; x <= 2 * R; x++) c += k[x] * s[threadIdx.x + 256 * r + x];
    if (i0 + threadIdx.x + 256 * r < n) b[i0 + threadIdx.x + 256 * r] = c;
  }
}
template <int R> __global__ void plain3(const float* __restrict__ a, float* b, int n) {
  long long t = blockIdx.x * (long long)256 + threadIdx.x;
  if (t >= (long long)n * n * n) return;
  int k = t % n, j = t / n % n, i = t / n / n;
  float s = 0;
  for (int z = -R; z <= R; z++) for (int y = -R; y <= R; y++) for (int x = -R; x <= R; x++)
    s += a[((long long)clampi(i + z, n) * n + clampi(j + y, n)) * n + clampi(k + x, n)];
  b[t] = s;
}
template <int R> __global__ void tiled3(const float* __restrict__ a, float* b, int n) {
  const int E = 8 + 2 * R, W = 32 + 2 * R;
  __shared__ float s[E][E][W];
  int k0 = blockIdx.x * 32, j0 = blockIdx.y * 8, i0 = blockIdx.z * 8;
  for (int t = threadIdx.y * 32 + threadIdx.x; t < E * E * W; t += 256)
    s[t / W / E][t / W % E][t % W] = a[((long long)clampi(i0 + t / W / E - R, n) * n + clampi(j0 + t / W % E - R, n)) * n + clampi(k0 + t % W - R, n)];
  __syncthreads();
  int k = k0 + threadIdx.x, j = j0 + threadIdx.y;
  for (int r = 0; r < 8; r++) {
    float c = 0;
    for (int z = 0; z <= 2 * R; z++) for (int y = 0; y <= 2 * R; y++) for (int x = 0; x <= 2 * R; x++) c += s[r + z][threadIdx.y + y][threadIdx.x + x];
    if (i0 + r < n && j < n && k < n) b[((long long)(i0 + r) * n + j) * n + k] = c;
  }
}
template <class F> float timed(F go) {
  std::vector<float> all;
  cudaEvent_t x, y; cudaEventCreate(&x); cudaEventCreate(&y);
  for (int i = 0; i < 15; i++) {
    cudaEventRecord(x); go(); cudaEventRecord(y); cudaEventSynchronize(y);
    float ms; cudaEventElapsedTime(&ms, x, y); if (i > 3) all.push_back(ms * 1000);
  }
  if (cudaGetLastError() != cudaSuccess) return -1;
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}
float *a, *b, *k;
template <int R> void two(int n) {
  dim3 g1((n + 31) / 32, (n + 7) / 8), g4((n + 31) / 32, (n + 31) / 32), t(32, 8);
  long long all = (long long)n * n;
  float p = timed([&] { plain<R><<<(all + 255) / 256, 256>>>(a, k, b, n, n); });
  float o = timed([&] { tiled<R, 1><<<g1, t>>>(a, k, b, n, n); });
  float f = timed([&] { tiled<R, 4><<<g4, t>>>(a, k, b, n, n); });
  float q = timed([&] { regs<R, 4><<<g4, t>>>(a, k, b, n, n); });
  printf("conv%d %d plain %.1f tile %.1f tile4 %.1f registers4 %.1f\n", 2 * R + 1, n, p, o, f, q);
}
template <int R> void one(int n) {
  float p = timed([&] { plain1<R><<<(n + 255) / 256, 256>>>(a, k, b, n); });
  float f = timed([&] { tiled1<R><<<(n + 1023) / 1024, 256>>>(a, k, b, n); });
  printf("one%d %d plain %.1f tile4 %.1f\n", 2 * R + 1, n, p, f);
}
template <int R> void three(int n) {
  long long all = (long long)n * n * n;
  dim3 g((n + 31) / 32, (n + 7) / 8, (n + 7) / 8), t(32, 8);
  float p = timed([&] { plain3<R><<<(all + 255) / 256, 256>>>(a, b, n); });
  float f = timed([&] { tiled3<R><<<g, t>>>(a, b, n); });
  printf("box%d %d plain %.1f tile8 %.1f\n", 2 * R + 1, n, p, f);
}
int main() {
  size_t n = (size_t)4096 * 4096 * 8;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&k, 4096);
  cudaMemset(a, 0, n * 4); cudaMemset(k, 0, 4096);
  two<1>(4096); two<2>(4096); two<3>(4096); two<4>(4096); two<7>(4096); two<15>(4096);
  one<4>(1 << 24); one<16>(1 << 24); one<32>(1 << 24);
  three<1>(256); three<2>(256); three<1>(512);
}
