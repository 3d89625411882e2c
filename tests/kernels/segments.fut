-- Reductions of segments: empty, short and long ones, few and many of them, operators that are not commutative, several
-- results, a function of the elements, and what is known of a segment alone.
-- ==
-- entry: sums
-- input { empty([0][7]i32) } output { empty([0]i32) }
-- input { empty([3][0]i32) } output { [0, 0, 0] }
-- random input { [1][1]i32 } auto output
-- random input { [5000][1]i32 } auto output
-- random input { [2049][2]i32 } auto output
-- random input { [3001][10]i32 } auto output
-- random input { [1057][31]i32 } auto output
-- random input { [1100][32]i32 } auto output
-- random input { [2200][33]i32 } auto output
-- random input { [2113][101]i32 } auto output
-- random input { [31][1000]i32 } auto output
-- random input { [2120][1024]i32 } auto output
-- random input { [17][1025]i32 } auto output
-- random input { [3][10007]i32 } auto output

entry sums [n] [m] (xss: [n][m]i32) = map i32.sum xss

-- ==
-- entry: small_sums
-- random input { [3001][10]i8 } auto output
-- random input { [33][333]i8 } auto output

entry small_sums [n] [m] (xss: [n][m]i8) = map i8.sum xss

def compose (a, b) (c, d): (i32, i32) = (a * c, b * c + d)

-- ==
-- entry: composed
-- random input { [2000][1]i32 [2000]i32 } auto output
-- random input { [3001][10]i32 [3001]i32 } auto output
-- random input { [1100][31]i32 [1100]i32 } auto output
-- random input { [40][97]i32 [40]i32 } auto output
-- random input { [40][997]i32 [40]i32 } auto output
-- random input { [7][3000]i32 [7]i32 } auto output

entry composed [n] [m] (xss: [n][m]i32) (ys: [n]i32) =
  unzip (map2 (\xs y -> reduce compose (1, 0) (map (\x -> (x * y, x + y)) xs)) xss ys)

-- ==
-- entry: largest
-- random input { [40][7][13]i64 } auto output
-- random input { [2][3][2000]i64 } auto output

def larger (a: i64, i: i64) (b: i64, j: i64) = if a > b || a == b && i < j then (a, i) else (b, j)

entry largest [k] [n] [m] (xsss: [k][n][m]i64) =
  map (map (\xs -> (reduce larger (i64.lowest, -1) (zip xs (iota m))).1)) xsss

-- ==
-- entry: some_parts
-- random input { [1100][9]i32 } auto output
-- random input { [3][1500]i32 } auto output

-- Nobody wants the first part of the one, and the second one of the other.
entry some_parts [n] [m] (xss: [n][m]i32) =
  ( map (\xs -> (reduce compose (1, 0) (zip xs (map (+ 1) xs))).1) xss
  , map (\xs -> (reduce compose (1, 0) (zip xs (map (+ 2) xs))).0) xss
  )

-- ==
-- entry: with_elements
-- random input { [1100][9]i32 } auto output
-- random input { [5][1500]i32 } auto output

entry with_elements [n] [m] (xss: [n][m]i32) =
  unzip (map (\xs -> let ys = map (\x -> x * 3 + 1) xs in (ys, i32.sum ys)) xss)

-- ==
-- entry: looked_up
-- input { [1, 2, 3] [[0i64, 2i64], [1i64, 1i64]] } output { [4, 4] }
-- input { [1, 2, 3] [[0i64, 2i64], [3i64, 1i64]] } error: out of bounds

entry looked_up [n] [k] [m] (xs: [n]i32) (iss: [k][m]i64) = map (\is -> i32.sum (map (\i -> xs[i]) is)) iss
