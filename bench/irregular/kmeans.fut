-- One step of k-means: the number of the points nearest to each mean, and the sums of their coordinates, in four ways that
-- give the same numbers up to rounding.
--
-- ==
-- entry: chunked chunked_comm by_histogram
-- nobench input { [[0f32, 1f32], [9f32, 9f32], [1f32, 0f32], [8f32, 9f32], [2f32, 2f32]] [[1f32, 1f32], [9f32, 8f32]] }
-- output { [3, 2] [[3f32, 3f32], [17f32, 18f32]] }
-- notest random input { [100000][4]f32 [8][4]f32 }
-- notest random input { [1000000][4]f32 [8][4]f32 }
-- notest random input { [200000][16]f32 [100][16]f32 }

def distance [d] (a: [d]f32) (b: [d]f32) : f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

-- The number of the nearest mean.
def nearest [k] [d] (means: [k][d]f32) (p: [d]f32) : i64 =
  (loop (best, least) = (0, f32.inf) for i < k do
     let here = distance p means[i]
     in if here < least then (i, here) else (best, least)).0

def combine [k] [d] (a: ([k]i32, [k][d]f32)) (b: ([k]i32, [k][d]f32)) : ([k]i32, [k][d]f32) =
  (map2 (+) a.0 b.0, map2 (map2 (+)) a.1 b.1)

-- A chunk of points, one after the other, in accumulators of its own.
def fold [k] [d] (means: [k][d]f32) (m: i64) (acc: *([k]i32, [k][d]f32)) (points: [m][d]f32)
    : (([k]i32, [k][d]f32), [m]()) =
  let (counts, sums) = acc
  let res =
    loop (counts, sums) for i < m do
      let p = points[i]
      let c = nearest means p
      let counts = counts with [c] = counts[c] + 1
      let sums = loop sums for j < d do sums with [c, j] = sums[c, j] + p[j]
      in (counts, sums)
  in (res, replicate m ())

entry chunked [n] [k] [d] (points: [n][d]f32) (means: [k][d]f32) : ([k]i32, [k][d]f32) =
  (stream.red combine (fold means) (replicate k 0, replicate k (replicate d 0)) points).0

entry chunked_comm [n] [k] [d] (points: [n][d]f32) (means: [k][d]f32) : ([k]i32, [k][d]f32) =
  (stream.red_comm combine (fold means) (replicate k 0, replicate k (replicate d 0)) points).0

entry by_histogram [n] [k] [d] (points: [n][d]f32) (means: [k][d]f32) : ([k]i32, [k][d]f32) =
  let at = map (nearest means) points
  in ( hist (+) 0 k at (replicate n 1i32)
     , hist (map2 (+)) (replicate d 0) k at points
     )
