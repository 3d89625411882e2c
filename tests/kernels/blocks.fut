-- Functions that a block of threads executes: operators one after the other, in loops and in branches, with arrays that only the
-- block knows.
-- ==
-- entry: scaled prefixes_of_squares
-- random input { [5][7]i32 } auto output
-- random input { [3][300]i32 } auto output
-- random input { [1][128]i32 } auto output
-- random input { [0][9]i32 } auto output
-- random input { [4][0]i32 } auto output
-- entry: affine_rows
-- random input { [4][129]i32 } auto output
-- random input { [2][5]i32 } auto output

def compose (a, b) (c, d): (i32, i32) = (a * c, b * c + d)
def assert_small (x: i32) : i32 = let primes = [2, 3, 5] in if x < 900 then x else primes[x]

entry scaled [n] [m] (xss: [n][m]i32) =
  #[incremental_flattening(only_intra)]
  map (\xs -> let s = i32.sum xs let t = i32.maximum xs in map (\x -> x * s - t) xs) xss

entry prefixes_of_squares [n] [m] (xss: [n][m]i32) =
  #[incremental_flattening(only_intra)]
  map (\xs -> let ys = scan (+) 0 (map (\x -> x * x) xs) in scan i32.max 0 (map2 (-) ys xs)) xss

entry affine_rows [n] [m] (xss: [n][m]i32) =
  #[incremental_flattening(only_intra)]
  map (\xs ->
         let (as, bs) = unzip (scan compose (1, 0) (zip xs (map (+1) xs)))
         let (a, b) = reduce compose (1, 0) (zip xs as)
         in map2 (\x y -> x + a * y + b) as bs)
      xss

-- ==
-- entry: waves
-- input { 2i64 5i64 } output { [[1, 4, 6, 4, 1], [2, 8, 12, 8, 2]] }
-- input { 3i64 200i64 } auto output

-- A loop around operators that change an array in place.
entry waves (n: i64) (m: i64) : [n][m]i32 =
  #[incremental_flattening(only_intra)]
  tabulate n (\i ->
                let start = replicate m 0 with [0] = 1 + i32.i64 i
                in loop xs = start
                   for k < i64.min 5 (m - 1) do
                     let ys = tabulate m (\j -> if j > 0 && j <= k + 1 then xs[j - 1] + xs[j] else xs[j])
                     let zs = scatter (copy ys) (iota m) (map (\y -> y % 1000) ys)
                     in if k % 2 == 0 then zs else ys)

-- ==
-- entry: rows_of_rows
-- random input { [3][4][6]i32 } auto output
-- random input { [2][40][50]i32 } auto output

-- Nests inside: a thread for each position, or for each row.
entry rows_of_rows [n] [m] [k] (xsss: [n][m][k]i32) =
  #[incremental_flattening(only_intra)]
  map (\xss ->
         let sums = map i32.sum xss
         let yss = map2 (\xs s -> map (\x -> x + s) xs) xss sums
         let ps = map (scan (+) 0) (transpose yss)
         in transpose ps)
      xsss

-- ==
-- entry: checked
-- input { [[1i64, 0, 2], [2, 2, 0]] } output { [[0i64, 1, 2], [0, 0, 2]] }
-- input { [[1i64, 0, 2], [2, 3, 0]] } error: out of bounds

-- A check that fails for some of the threads ends all of them.
entry checked [n] [m] (iss: [n][m]i64) =
  #[incremental_flattening(only_intra)]
  map (\is ->
         let once = map (\i -> is[i]) is
         let s = i64.sum once
         in map2 (\i j -> is[i] + s - s + 0 * j) is once)
      iss

-- ==
-- entry: checked_scan
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 3, 6], [4, 9, 15]] }
-- input { [[1, 2, 3], [4, 999, 6]] } error: out of bounds

-- Likewise, in the operator of a scan.
entry checked_scan [n] [m] (xss: [n][m]i32) =
  #[incremental_flattening(only_intra)]
  map (\xs -> let ys = scan (\a b -> let c = a + b in assert_small c) 0 xs in map (\y -> y + 0) (copy ys)) xss
