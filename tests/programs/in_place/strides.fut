-- Views with other strides, or none, which branches and loops hand on as they are: nothing is copied.

-- ==
-- entry: turned
-- input { true [[1f32, 2f32], [3f32, 4f32]] } output { [4f32, 6f32] }
-- input { false [[1f32, 2f32], [3f32, 4f32]] } output { [3f32, 7f32] }
entry turned [n] (c: bool) (a: [n][n]f32) : [n]f32 =
  map f32.sum (if c then transpose a else a)

-- ==
-- entry: column
-- input { true 1i64 [[1f32, 2f32], [3f32, 4f32]] [5f32, 6f32] } output { [4f32, 8f32] }
-- input { false 1i64 [[1f32, 2f32], [3f32, 4f32]] [5f32, 6f32] } output { [10f32, 12f32] }
entry column [n] [m] (c: bool) (k: i64) (a: [n][m]f32) (b: [n]f32) : [n]f32 =
  map (* 2) (if c then a[:, k] else b)

-- ==
-- entry: halves
-- input { true [1f32, 2f32, 3f32, 4f32] } output { 10f32 }
-- input { false [1f32, 2f32, 3f32, 4f32] } output { 5f32 }
entry halves [n] (c: bool) (a: [n]f32) : f32 =
  let m = n / 2
  let part = if c then a[::2] :> [m]f32 else take m a
  in f32.sum (map (\x -> x * x) part)

-- ==
-- entry: turning
-- input { 3i64 [[1f32, 2f32], [3f32, 4f32]] } output { [10f32, 20f32] }
entry turning [n] (k: i64) (a: [n][n]f32) : [n]f32 =
  let (_, sums) =
    loop (x, sums) = (a, replicate n 0) for _i < k do (transpose x, map2 (+) sums (map f32.sum x))
  in sums
