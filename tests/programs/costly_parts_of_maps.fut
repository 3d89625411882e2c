-- Values that are costly, depend on the inner array alone, and are needed inside of a map; a flag is always the same.
-- ==
-- input { [1f64, 2f64] [0.5f64, 0.25f64, 2f64] } output { [[2f64, 1.5f64, 5f64], [3.5f64, 2.75f64, 8f64]] }
-- input { empty([0]f64) [0.5f64] } output { empty([0][1]f64) }
-- input { [1f64] empty([0]f64) } output { empty([1][0]f64) }
#[noinline]
def costly (k: f64) (flag: bool) (d: f64): f64 =
  let twice (x: f64) = f64.log (f64.exp (f64.log (f64.exp x)))
  in if flag then 0 else twice (twice (d + k))

def main [n] [m] (xs: [n]f64) (ds: [m]f64): [n][m]f64 =
  map (\x -> map (\d -> costly 1 false d * x + d) ds) xs
