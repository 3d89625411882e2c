-- error: use-after-consume
-- The new value has a size that only the base brings into being, so it cannot read what the base consumes.
def table (a: *[]i64) : *[][]i64 =
  let a = a with [0] = 0
  in replicate 2 (filter (> 0) a)
def f (xs: *[]i64) : [][]i64 = (table xs) with [xs[0]] = rep 7
