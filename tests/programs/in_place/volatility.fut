-- Implicit steps along the rows and the columns of a plane: tridiagonal systems whose solutions are found from the last unknown to the
-- first.

-- | The solution of `a x[i-1] + x[i] (1 - 2 a) + a x[i+1] = ys[i]`.
def solve [n] (a: f64) (ys: [n]f64) : [n]f64 =
  let b = 1 - 2 * a
  let pivots = loop ps = replicate n b for i in 1..<n do ps with [i] = b - a * a / ps[i - 1]
  let sums = scan (\(c, d) (e, f) -> (c * e, d * e + f)) (1, 0) (map (\i -> (if i == 0 then 0 else -a / pivots[i - 1], ys[i])) (iota n))
  let (_, rights) = unzip sums
  let backwards = scan (\(c, d) (e, f) -> (c * e, d * e + f)) (1, 0)
                       (map (\k -> let i = n - 1 - k in (if k == 0 then 0 else -a / pivots[i], rights[i] / pivots[i])) (iota n))
  in reverse (map (.1) backwards)

-- ==
-- input { 2i32 -0.25 [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]] }
-- output { [[0.48012679581636575f64, 0.91184520867170404f64, 0.90969595681409832f64], [0.22753948638278843f64, 0.52317209236635842f64, 0.36685921427394486f64]] }
entry main [m] [n] (steps: i32) (a: f64) (plane: [m][n]f64) : [m][n]f64 =
  #[unsafe] loop p = plane for _i < steps do
    let rows = map (solve a) p
    in transpose (map (solve a) (transpose rows))
