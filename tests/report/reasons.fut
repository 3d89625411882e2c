-- Why operators are not fused, one entry point for each reason; two (other_width, transposed) are fused nevertheless.

def costly (x: f64) : f64 = f64.exp (f64.sin x) * f64.log (x + 1)

entry indexed [n] (xs: [n]f64) (is: [n]i64) : [n]f64 =
  let ys = map costly xs
  in map2 (\y i -> y + ys[i]) ys is

entry several [n] (xs: [n]f64) (is: [n]i64) : (*[n]f64, [n]f64) =
  let ys = map costly xs
  in (scatter (replicate n 0) is ys, ys)

entry consumed [n] (xs: *[n]f64) : [n]f64 =
  let ys = map costly xs
  let zs = xs with [0] = 1
  in map2 (+) ys zs

entry other_width [n] (xs: [n]f64) (m: i64) : f64 =
  let ys = map costly xs
  in reduce (*) 1 (map (+ 1) (ys :> [m]f64))

entry kept [n] (xs: [n]f64) : []f64 =
  map costly (filter (> 0) xs)

entry transposed [n] [m] (xs: [n][m]f64) : [m]f64 =
  map (reduce (+) 0) (transpose (map (map costly) xs))

entry unfinished [n] (xs: [n]f64) : [n]f64 =
  let total = reduce (+) 0 (map costly xs)
  let sums = scan (+) 0 (map costly xs)
  in map (/ total) sums

entry between [n] (xs: [n]f64) : [n]f64 =
  let ys = map costly xs
  let low = reduce f64.min f64.inf ys
  in map (\y -> y - low) ys
