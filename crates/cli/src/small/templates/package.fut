-- | A package: replace this by what it offers.

-- | The mean of numbers.
def mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n
