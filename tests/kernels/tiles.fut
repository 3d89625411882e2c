-- Products of matrices, with sizes that are no multiples of a tile's, and copies between layouts.
-- ==
-- entry: product
-- random input { [100][70]i32 [70][130]i32 } auto output
-- random input { [128][16]i32 [16][128]i32 } auto output
-- random input { [48][17]i32 [17][49]i32 } auto output
-- random input { [3][5]i32 [5][4]i32 } auto output
-- random input { [60][1000]i32 [1000][50]i32 } auto output
-- random input { [70][141]i32 [141][49]i32 } auto output

def dot [n] (xs: [n]i32) (ys: [n]i32) = i32.sum (map2 (*) xs ys)
def product_of [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) = map (\r -> map (dot r) (transpose b)) a

entry product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) = product_of a b

-- ==
-- entry: scaled
-- random input { 3 4 [100][70]i32 [70][130]i32 [100][130]i32 } auto output
-- random input { 3 4 [65][515]i32 [515][66]i32 [65][66]i32 } auto output

entry scaled [n] [m] [p] (x: i32) (y: i32) (a: [n][m]i32) (b: [m][p]i32) (c: [n][p]i32) =
  map2 (map2 (\d e -> x * d + y * e)) (product_of a b) c

-- ==
-- entry: products
-- random input { [3][60][70]i32 [3][70][64]i32 } auto output
-- random input { [3][60][300]i32 [3][300][64]i32 } auto output
-- random input { [60][129][17]i32 [60][17][129]i32 } auto output

-- The second product has 240 large tiles, and more than 16 steps: with less, tiles are small ones, or there are none.
entry products [k] [n] [m] [p] (a: [k][n][m]i32) (b: [k][m][p]i32) = map2 product_of a b

-- ==
-- entry: nearest
-- random input { [70][33]f64 [65][33]f64 } auto output
-- random input { [70][333]f64 [65][333]f64 } auto output

-- Two results of each pair of rows, and both matrices by rows.
entry nearest [n] [m] [p] (a: [n][m]f64) (b: [p][m]f64) =
  map (\r -> map (\s -> let ds = map2 (-) r s in (f64.sum (map (\d -> d * d) ds), f64.maximum (map f64.abs ds))) b |> unzip) a
  |> unzip

-- ==
-- entry: four
-- random input { [70][33]i32 [4][65][33]i32 } auto output
-- random input { [70][270]i32 [4][65][270]i32 } auto output

-- Four results of each pair of rows, which read one of them together.
entry four [n] [m] [p] (a: [n][m]i32) (b: [4][p][m]i32) =
  (map (\r -> map (dot r) b[0]) a, map (\r -> map (dot r) b[1]) a, map (\r -> map (dot r) b[2]) a, map (\r -> map (dot r) b[3]) a)

-- ==
-- entry: blocks
-- random input { [3][32][40]i32 [2][40][32]i32 } auto output
-- random input { [3][32][200]i32 [2][200][32]i32 } auto output
-- random input { [1][32][17]i32 [1][17][32]i32 } auto output
-- random input { [1][32][5]i32 [3][5][32]i32 } auto output

-- Tiles of half the side, for blocks of a size that is known.
entry blocks [k] [l] [m] (a: [k][32][m]i32) (b: [l][m][32]i32) =
  map (\x -> map (\y -> map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose y)) x) b) a

-- ==
-- entry: transposed
-- random input { [100][70]i32 } auto output
-- random input { [3][1000]i32 } auto output
-- random input { [1000][3]i32 } auto output
-- random input { [1][5000]i32 } auto output
-- random input { [5000][1]i32 } auto output
-- random input { [2][2049]i32 } auto output
-- random input { [3001][10]i32 } auto output
-- random input { [15][997]i32 } auto output
-- random input { [16][31]i32 } auto output
-- random input { [15][15]i32 } auto output
-- random input { [128][8]i32 } auto output
-- input { empty([0][200]i32) } output { empty([200][0]i32) }
-- input { empty([200][0]i32) } output { empty([0][200]i32) }

entry transposed [n] [m] (a: [n][m]i32) = copy (transpose a)

-- ==
-- entry: transposed_each
-- random input { [3][7][300]i64 } auto output
-- random input { [3][300][5]i64 } auto output
-- random input { [50][3][3]i64 } auto output
-- random input { [2][40][50]i64 } auto output

entry transposed_each [k] [n] [m] (a: [k][n][m]i64) = copy (map transpose a)

-- ==
-- entry: transposed_bytes
-- random input { [10][3000]i8 } auto output
-- random input { [3000][4]i8 } auto output

entry transposed_bytes [n] [m] (a: [n][m]i8) = copy (transpose a)
