-- Tests; `fehu test` runs them.

import "@NAME@"

-- ==
-- entry: test_mean
-- input { [1.0, 3.0] } output { 2.0 }
entry test_mean [n] (xs: [n]f64) : f64 = mean xs
