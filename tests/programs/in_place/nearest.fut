-- The k nearest neighbours: the nearest is found k times, noted in the result, and moved away in place.

-- ==
-- input { 2i64 [0f32, 1f32, 5f32, 2f32] [0f32, 1f32, 5f32, 0f32] 1.5f32 1f32 }
-- output { [1i64, 3i64] [0.5f32, 1.11803401f32] }
entry main [n] (k: i64) (xs: [n]f32) (ys: [n]f32) (x: f32) (y: f32) : ([k]i64, [k]f32) =
  let far = map2 (\a b -> f32.sqrt ((a - x) ** 2 + (b - y) ** 2)) xs ys
  let nearer (i, d) (j, e) = if d < e || (d == e && i < j) then (i, d) else (j, e)
  let (_, found, distances) =
    #[unsafe] loop (far, found, distances) = (far, replicate k 0, replicate k 0) for i < k do
      let (j, d) = reduce_comm nearer (n, f32.inf) (zip (iota n) far)
      in (far with [j] = f32.inf, found with [i] = j, distances with [i] = d)
  in (found, distances)
