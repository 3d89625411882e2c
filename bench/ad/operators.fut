-- Single operators: reductions, scans and histograms, and their gradients.
-- ==
-- entry: sum_primal sum_gradient min_primal min_gradient product_primal product_gradient linear_primal linear_gradient
-- random input { [10000000]f32 }

-- ==
-- entry: scan_sum_primal scan_sum_gradient scan_linear_primal scan_linear_gradient
-- random input { [10000000]f32 }

-- ==
-- entry: hist_sum_primal hist_sum_gradient hist_max_primal hist_max_gradient hist_product_primal hist_product_gradient hist_linear_primal hist_linear_gradient
-- random input { [401]f32 [10000000]f32 }

def pairs [n] (xs: [n]f32) : [n](f32, f32) = map (\x -> (x, 1 - x)) xs

-- Composition of linear functions.
def compose (a: (f32, f32)) (b: (f32, f32)) : (f32, f32) = (b.0 + b.1 * a.0, a.1 * b.1)

def sum_ [n] (xs: [n]f32) = f32.sum xs
def min_ [n] (xs: [n]f32) = f32.minimum xs
def product_ [n] (xs: [n]f32) = f32.product (map (\x -> 1 + (x - 0.5) / 1000) xs)
def linear [n] (xs: [n]f32) = (reduce compose (0, 1) (pairs xs)).0

entry sum_primal [n] (xs: [n]f32) = sum_ xs
entry sum_gradient [n] (xs: [n]f32) = vjp sum_ xs 1
entry min_primal [n] (xs: [n]f32) = min_ xs
entry min_gradient [n] (xs: [n]f32) = vjp min_ xs 1
entry product_primal [n] (xs: [n]f32) = product_ xs
entry product_gradient [n] (xs: [n]f32) = vjp product_ xs 1
entry linear_primal [n] (xs: [n]f32) = linear xs
entry linear_gradient [n] (xs: [n]f32) = vjp linear xs 1

def scan_sum [n] (xs: [n]f32) = scan (+) 0 xs
def scan_linear [n] (xs: [n]f32) = map (.0) (scan compose (0, 1) (pairs xs))

entry scan_sum_primal [n] (xs: [n]f32) = scan_sum xs
entry scan_sum_gradient [n] (xs: [n]f32) = vjp scan_sum xs (copy xs)
entry scan_linear_primal [n] (xs: [n]f32) = scan_linear xs
entry scan_linear_gradient [n] (xs: [n]f32) = vjp scan_linear xs (copy xs)

def bins [k] [n] (op: f32 -> f32 -> f32) (ne: f32) (_: [k]f32) (xs: [n]f32) : [k]f32 =
  let place x = i64.f32 (x * f32.i64 k)
  in reduce_by_index (replicate k ne) op ne (map place xs) (map (\x -> 1 + (x - 0.5) / 1000) xs)

entry hist_sum_primal [k] [n] (g: [k]f32) (xs: [n]f32) = bins (+) 0 g xs
entry hist_sum_gradient [k] [n] (g: [k]f32) (xs: [n]f32) = vjp (bins (+) 0 g) xs g
entry hist_max_primal [k] [n] (g: [k]f32) (xs: [n]f32) = bins f32.max (-f32.inf) g xs
entry hist_max_gradient [k] [n] (g: [k]f32) (xs: [n]f32) = vjp (bins f32.max (-f32.inf) g) xs g
entry hist_product_primal [k] [n] (g: [k]f32) (xs: [n]f32) = bins (*) 1 g xs
entry hist_product_gradient [k] [n] (g: [k]f32) (xs: [n]f32) = vjp (bins (*) 1 g) xs g

def hist_linear [k] [n] (g: [k]f32) (xs: [n]f32) : [k]f32 =
  let place x = i64.f32 (x * f32.i64 k)
  in map (.0) (reduce_by_index (map (\x -> (x, 1)) g) compose (0, 1) (map place xs) (pairs xs))

entry hist_linear_primal [k] [n] (g: [k]f32) (xs: [n]f32) = hist_linear g xs
entry hist_linear_gradient [k] [n] (g: [k]f32) (xs: [n]f32) = vjp (hist_linear g) xs g
