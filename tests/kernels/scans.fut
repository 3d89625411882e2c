-- Scans around the sizes of tiles: ragged ends, segments that end with a tile, operators that are not commutative, and several of
-- them at once.
-- ==
-- entry: sums truths
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [15]i32 } auto output
-- random input { [3839]i32 } auto output
-- random input { [3840]i32 } auto output
-- random input { [3841]i32 } auto output
-- random input { [7680]i32 } auto output
-- random input { [200000]i32 } auto output
-- entry: matrices matrices_f64 several
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [1280]i32 } auto output
-- random input { [2304]i32 } auto output
-- random input { [2305]i32 } auto output
-- random input { [50000]i32 } auto output
-- entry: with_plain with_rows
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [3841]i32 } auto output
-- random input { [20000]i32 } auto output

def mul (a0, a1, a2, a3) (b0, b1, b2, b3): (i32, i32, i32, i32) =
  (b0 * a0 + b1 * a2, b0 * a1 + b1 * a3, b2 * a0 + b3 * a2, b2 * a1 + b3 * a3)

-- Of the second row, the last that is not zero: exact in any order.
def last (a0: f64, a1: f64, a2: f64, a3: f64) (b0, b1, b2, b3) =
  (a0 + b0, f64.max a1 b1, if b2 == 0 then a2 else b2, if b3 < 0 then a3 else b3)

entry sums [n] (xs: [n]i32) = (scan (+) 0 xs, scan (+) 0 (map i8.i32 xs), scan (+) 0 (map i64.i32 xs))

entry truths [n] (xs: [n]i32) =
  (scan (!=) false (map (\x -> x % 3 == 0) xs), scan f32.max (-f32.inf) (map f32.i32 xs))

entry matrices [n] (xs: [n]i32) =
  unzip4 (scan mul (1, 0, 0, 1) (map (\x -> (x, x + 1, x ^ 3, 1)) xs))

entry matrices_f64 [n] (xs: [n]i32) =
  map (\x -> f64.i32 (x % 5)) xs
  |> map (\x -> (x, x, x, x))
  |> scan last (0, -f64.inf, 0, -1)
  |> unzip4

-- Values of several types, and two scans of one map.
entry several [n] (xs: [n]i32) =
  let ys = map (% 100) xs
  let first (a: i8, b: i64, c: bool) (d, e, f) = (if c then a else d, b + e, c || f)
  in (unzip3 (scan first (0, 0, false) (map (\y -> (if y % 2 == 0 then i8.i32 y else 0, i64.i32 y, y % 2 == 0)) ys)), scan i32.max i32.lowest ys)

entry with_plain [n] (xs: [n]i32) = let ys = map (* 3) xs in (scan (+) 0 ys, ys)

entry with_rows [n] (xs: [n]i32) =
  let rows = map (\x -> [x, x + 1, x * 2]) xs
  in (scan (+) 0 (map (\row -> row[0] + row[1]) rows), rows)

-- ==
-- entry: row_sums row_matrices
-- random input { [0][5]i32 } auto output
-- random input { [5][0]i32 } auto output
-- random input { [1][10000]i32 } auto output
-- random input { [10000][1]i32 } auto output
-- random input { [3][3840]i32 } auto output
-- random input { [5][2304]i32 } auto output
-- random input { [7][3841]i32 } auto output
-- random input { [4000][3]i32 } auto output
-- random input { [13][777]i32 } auto output

entry row_sums [n] [m] (xss: [n][m]i32) = map (scan (+) 0) xss

entry row_matrices [n] [m] (xss: [n][m]i32) =
  map (\xs -> scan mul (1, 0, 0, 1) (map (\x -> (x, x + 1, x ^ 3, 1)) xs) |> unzip4) xss

-- Checks in the function and in the operator: all blocks come to an end.
-- ==
-- entry: checked
-- input { 5i64 } auto output
-- input { 9000i64 } error: Assertion
-- entry: checked_operator
-- input { 5i64 } auto output
-- input { 9000i64 } error: Assertion

entry checked (n: i64) = scan (+) 0 (map (\i -> assert (i < 4000) i) (iota n))
entry checked_operator (n: i64) = scan (\x y -> assert (x + y < 1000000) (x + y)) 0 (iota n)
