-- The computations that libraries for GPUs offer by hand-written kernels; `bench/libraries.py` measures them beside those.

def hash (seed: u32) (i: i64) : u32 =
  let x = u32.i64 i * 747796405 + seed
  let x = (x ^ (x >> 16)) * 0x7feb352d
  in x ^ (x >> 15)

entry numbers (n: i64) (seed: u32) : [n]f32 =
  tabulate n (\i -> f32.u32 (hash seed i & 0xffffff) / 16777216 - 0.5)

entry matrix (n: i64) (m: i64) (seed: u32) : [n][m]f32 = unflatten (numbers (n * m) seed)

entry keys (n: i64) (limit: u32) : [n]u32 =
  tabulate n (\i -> let x = hash 2891336453 i in if limit == 0 then x else x % limit)

entry bodies (n: i64) : ([n]f32, [n]f32, [n]f32, [n]f32) =
  (numbers n 1, numbers n 2, numbers n 3, numbers n 4)

entry duplicate [n] (xs: [n]f32) : [n]f32 = copy xs

entry scale [n] (xs: [n]f32) : [n]f32 = map (* 2) xs

entry add [n] (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (+) xs ys

entry triad [n] (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> 2 * x + y) xs ys

entry sum [n] (xs: [n]f32) : f32 = f32.sum xs

entry scan_u32 [n] (ks: [n]u32) : [n]u32 = scan (+) 0 ks

entry scan_f32 [n] (xs: [n]f32) : [n]f32 = scan (+) 0 xs

entry even [n] (ks: [n]u32) : []u32 = filter (\k -> k & 1 == 0) ks

entry histogram [n] (bins: i64) (ks: [n]u32) : [bins]u32 =
  hist (+) 0 bins (map i64.u32 ks) (replicate n 1)

entry rows [n] [m] (xs: [n][m]f32) : [n]f32 = map f32.sum xs

entry turned [n] [m] (xs: [n][m]f32) : [m][n]f32 = map copy (transpose xs)

entry product [n] [m] [k] (xs: [n][m]f32) (ys: [m][k]f32) : [n][k]f32 =
  map (\x -> map (\y -> f32.sum (map2 (*) x y)) (transpose ys)) xs

entry nbody [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (ms: [n]f32) : ([n]f32, [n]f32, [n]f32) =
  let force x y z =
    map4 (\ox oy oz m ->
            let (dx, dy, dz) = (ox - x, oy - y, oz - z)
            let inv = f32.rsqrt (dx * dx + dy * dy + dz * dz + 50)
            let s = m * inv * inv * inv
            in (s * dx, s * dy, s * dz))
         xs
         ys
         zs
         ms
    |> reduce (\(a, b, c) (d, e, f) -> (a + d, b + e, c + f)) (0, 0, 0)
  in unzip3 (map3 force xs ys zs)
