-- | The mean of numbers.
def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

-- | The mean of numbers, and their standard deviation. Tests are below; `fehu test` runs them.
-- ==
-- entry: spread
-- input { [1.0, 3.0] } output { 2.0 1.0 }
-- input { [5.0] } output { 5.0 0.0 }
-- "large" random input { [1000000]f64 } auto output
entry spread [n] (xs: [n]f64) : (f64, f64) =
  let m = mean xs
  let variance = mean (map (\x -> (x - m) ** 2) xs)
  in (m, f64.sqrt variance)
