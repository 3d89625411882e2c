-- A step of k-means over points that need not fit into memory: the new centres, and the sum of squared distances to the old ones.
-- `improve` takes several steps, each of which reads the points again.
--
--     fehu multicore kmeans.fut
--     echo '[[0f32, 0f32], [9f32, 9f32]]' | ./kmeans --in points=points.npy --memory-limit 256MB
--     echo '20i32 [[0f32, 0f32], [9f32, 9f32]]' | ./kmeans -e improve --in points=points.npy --memory-limit 256MB
-- ==
-- input { [[0f32, 0f32], [9f32, 9f32]] [[1f32, 0f32], [0f32, 1f32], [8f32, 9f32], [10f32, 9f32]] }
-- output { [[0.5f32, 0.5f32], [9f32, 9f32]] 4f64 }

def distance (a: [2]f32) (b: [2]f32) : f32 = f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def nearest [k] (centres: [k][2]f32) (point: [2]f32) : (i64, f32) =
  loop (at, least) = (0, f32.inf)
  for i < k do
    let d = distance centres[i] point
    in if d < least then (i, d) else (at, least)

def step [k] (centres: [k][2]f32) (points: seq ([2]f32)) : ([k][2]f32, f64) =
  let add (a, n) (b, m) = (map2 (+) a b, n + m)
  let sums =
    seq.hist add ([0, 0], 0i64) k (seq.map (\p -> ((nearest centres p).0, (p, 1))) points)
  let cost = seq.reduce (+) 0 (seq.map (\p -> f64.f32 (nearest centres p).1) points)
  in ( map2 (\(sum, n) old -> if n == 0 then old else map (/ f32.i64 n) sum) sums centres
     , cost
     )

entry main [k] (centres: [k][2]f32) (points: seq ([2]f32)) : ([k][2]f32, f64) = step centres points

-- ==
-- entry: improve
-- input { 3i32 [[0f32, 0f32], [1f32, 1f32]] [[1f32, 0f32], [0f32, 1f32], [8f32, 9f32], [10f32, 9f32]] }
-- output { [[0.5f32, 0.5f32], [9f32, 9f32]] }
entry improve [k] (steps: i32) (centres: [k][2]f32) (points: seq ([2]f32)) : [k][2]f32 =
  loop centres for _i < steps do (step centres points).0
