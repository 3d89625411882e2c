-- Derivatives of parallel programs have no loops outside of operators; the last one, of a loop, has two.
def compose (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (b.0 + b.1 * a.0, a.1 * b.1)
def times (a: [2][2]f64) (b: [2][2]f64) : [2][2]f64 = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a

entry reduction [n] (xs: [n]f64) = vjp (\xs -> (reduce compose (0, 1) (map (\x -> (x, 1 - x)) xs)).0) xs 1
entry product [n] (xs: [n]f64) = vjp f64.product xs 1
entry scan_affine [n] (xs: [n]f64) = vjp (\xs -> map (.0) (scan compose (0, 1) (map (\x -> (x, 1 - x)) xs))) xs xs
entry scan_matrices [n] (xs: [n][2][2]f64) = vjp (scan times [[1, 0], [0, 1]]) xs xs
entry scan_product [n] (xs: [n]f64) = vjp (scan (*) 1) xs xs
entry hist_sum [n] [k] (is: [n]i64) (g: [k]f64) (xs: [n]f64) = vjp (\xs -> reduce_by_index (copy g) (+) 0 is xs) xs g
entry hist_max [n] [k] (is: [n]i64) (g: [k]f64) (xs: [n]f64) = vjp (\xs -> reduce_by_index (copy g) f64.max 0 is xs) xs g
entry hist_product [n] [k] (is: [n]i64) (g: [k]f64) (xs: [n]f64) = vjp (\xs -> reduce_by_index (copy g) (*) 1 is xs) xs g
entry hist_any [n] [k] (is: [n]i64) (g: [k]f64) (xs: [n]f64) = vjp (\xs -> reduce_by_index (copy g) (\x y -> x * y + x + y) 0 is xs) xs g
entry hist_2d [n] (is: [n](i64, i64)) (g: [4][5]f64) (xs: [n]f64) = vjp (\xs -> reduce_by_index_2d (copy g) f64.max 0 is xs) xs g
entry scattered [n] [k] (is: [n]i64) (g: [k]f64) (xs: [n]f64) = vjp (\xs -> scatter (copy g) is (map (\x -> x * x) xs)) xs g
entry parted [n] (xs: [n]f64) = vjp (\xs -> let (a, b) = partition (> 0) xs in f64.sum (map (\x -> x * x) a) - f64.sum b) xs 1
entry filtered [n] (xs: [n]f64) = vjp (\xs -> f64.sum (map (\x -> x * x) (filter (> 0) xs))) xs 1
entry nested [n] [m] (xss: [n][m]f64) = vjp (map (\xs -> f64.product (scan (+) 0 xs))) xss (map f64.sum xss)
entry irregular [n] (ks: [n]i64) (xs: [n]f64) =
  vjp (\xs -> f64.sum (map2 (\k x -> f64.sum (map (\i -> x * f64.i64 i) (iota k))) ks xs)) xs 1
entry chosen [n] (xs: [n]f64) = vjp (\xs -> (reduce (\(a, i) (b, j) -> if a >= b then (a, i) else (b, j)) (-1e300, -1) (zip xs (iota n))).0) xs 1
entry rows [n] [m] (xss: [n][m]f64) (g: [m]f64) = vjp (reduce (map2 (\x y -> x * y + x + y)) (replicate m 0)) xss g
entry scan_rows [n] [m] (xss: [n][m]f64) = vjp (scan (map2 (\x y -> x * y + x + y)) (replicate m 0)) xss xss
entry flatmapped [n] (ks: [n]i64) (xs: [n]f64) =
  vjp (\xs -> let (_, _, _, a, b) = flatmap (\(k, x) -> (map (\i -> x * f64.i64 i) (iota k), x * x)) (zip ks xs) in f64.sum a + f64.sum b) xs 1
entry stream_mapped [n] (xs: [n]f64) = vjp (stream.map (\k (c: [k]f64) -> map (\x -> x * x) c)) xs xs
entry stream_reduced [n] (xs: [n]f64) = vjp (\xs -> (stream.red (*) (\k (a: f64) (c: [k]f64) -> (a * f64.product c, c)) 1 xs).0) xs 1
entry sequential [n] (xs: [n]f64) = vjp (\xs -> loop s = 1 for x in xs do s * x + x) xs 1
