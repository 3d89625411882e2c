-- | The mean of numbers.
def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

-- | The standard deviation of numbers. Tests are below; `fehu test` runs them.
-- ==
-- entry: deviation
-- input { [1.0, 3.0] } output { 1.0 }
-- input { [5.0] } output { 0.0 }
-- "large" random input { [1000000]f64 } auto output
entry deviation [n] (xs: [n]f64) : f64 =
  let m = mean xs
  let variance = mean (map (\x -> (x - m) ** 2) xs)
  in f64.sqrt variance
