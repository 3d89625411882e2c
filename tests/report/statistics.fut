-- Deviations from the mean: what is fused, what has to wait, and what is tested.

def mean [n] (xs: [n]f64) : f64 =
  f64.sum xs / f64.i64 n

entry main [n] (xs: [n]f64) (is: [n]i64) : (f64, [n]f64, [n]f64) =
  let m = mean xs
  let ds = map (\x -> x - m) xs
  let v = reduce (+) 0 (map (\d -> d * d) ds)
  let s = scan (+) 0 ds
  let g = map (\i -> xs[i]) is
  let h = map2 (\a b -> a + b * v) s g
  let k = length (filter (> 0) g)
  in (v, h, map (+ f64.i64 k) g)
