-- Products of matrices that are narrow: with few rows, few columns or both, which may be known before the program runs or not.
-- ==
-- entry: product
-- random input { [70][40]i32 [40][30]i32 } auto output
-- random input { [32][40]i32 [40][70]i32 } auto output
-- random input { [25][17]i32 [17][47]i32 } auto output
-- random input { [24][16]i32 [16][24]i32 } auto output
-- random input { [23][20]i32 [20][70]i32 } auto output
-- random input { [33][1000]i32 [1000][32]i32 } auto output
-- random input { [47][141]i32 [141][49]i32 } auto output

def dot [n] (xs: [n]i32) (ys: [n]i32) = i32.sum (map2 (*) xs ys)
def product_of [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) = map (\r -> map (dot r) (transpose b)) a

entry product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) = product_of a b

-- ==
-- entry: tall
-- random input { [40]i32 [17]i32 } auto output
-- random input { [30]i32 [17]i32 } auto output
-- random input { [24]i32 [301]i32 } auto output
-- random input { [64]i32 [70]i32 } auto output

-- Tiles that are narrow in one direction. There is something to do after the steps, and there may be several blocks for them.
entry tall [m] [p] (xs: [p]i32) (ys: [m]i32) =
  let a = tabulate_2d 70 m (\i k -> ys[k] * i32.i64 i + i32.i64 (i ^ k))
  let b = tabulate_2d m p (\k j -> xs[j] - i32.i64 (k * j % 7))
  in map2 (\i -> map2 (\x y -> x * y + i32.i64 i) xs) (iota 70) (product_of (opaque a) (opaque b))

-- ==
-- entry: wide
-- random input { [40][17]i32 [17][70]i32 } auto output
-- random input { [30][17]i32 [17][70]i32 } auto output
-- random input { [24][301]i32 [301][70]i32 } auto output
-- random input { [64][70]i32 [70][70]i32 } auto output

entry wide [n] [m] (a: [n][m]i32) (b: [m][70]i32) = product_of a b

-- ==
-- entry: nearest
-- random input { [40][33]f64 [30][33]f64 } auto output
-- random input { [30][333]f64 [31][333]f64 } auto output

-- Two results of each pair of rows, and both matrices by rows.
entry nearest [n] [m] [p] (a: [n][m]f64) (b: [p][m]f64) =
  map (\r -> map (\s -> let ds = map2 (-) r s in (f64.sum (map (\d -> d * d) ds), f64.maximum (map f64.abs ds))) b |> unzip) a
  |> unzip

-- ==
-- entry: last
-- random input { [30][20]i32 [20][70]i32 } auto output
-- random input { [30][200]i32 [200][40]i32 } auto output

-- A loop is not divided among blocks.
entry last [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) =
  map (\r -> map (\c -> loop x = 0 for (y, z) in zip r c do if y < z then x * 3 + y else x - z) (transpose b)) a

-- ==
-- entry: norms
-- random input { [40][32]i32 [26][32][32]i32 } auto output
-- random input { [32][40]i32 [32][33][40]i32 } auto output

-- Products in a nest, with the norm of each row of theirs.
entry norms [n] [k] [m] [d] (xs: [n][d]i32) (as: [k][m][d]i32) =
  map (\x -> map (\a -> i32.sum (map (\row -> let y = dot row x in y * y) a)) as) xs

-- A reduction that begins with a number of the row's.
-- ==
-- entry: from_rows
-- random input { [70][300]i32 [50][300]i32 [70]i32 } auto output
-- random input { [40][300]i32 [30][300]i32 [40]i32 } auto output

entry from_rows [n] [m] [k] (a: [n][k]i32) (b: [m][k]i32) (v: [n]i32) : [n][m]i32 =
  map2 (\r x -> map (\c -> reduce i32.max x (map2 (*) r c)) b) a v
