-- Nests that are tiled: rows and columns that end inside of a tile, all layouts, several kinds of accumulation.
-- ==
-- entry: f32_nn most weighted pairs converted small
-- random input { [0][5]f32 [5][9]f32 } auto output
-- random input { [3][0]f32 [0][9]f32 } auto output
-- random input { [1][1]f32 [1][1]f32 } auto output
-- random input { [4][4]f32 [4][8]f32 } auto output
-- random input { [8][16]f32 [16][32]f32 } auto output
-- random input { [9][17]f32 [17][33]f32 } auto output
-- random input { [21][40]f32 [40][70]f32 } auto output
-- random input { [40][5]f32 [5][7]f32 } auto output

-- ==
-- entry: f64_nn
-- random input { [0][5]f64 [5][9]f64 } auto output
-- random input { [1][1]f64 [1][1]f64 } auto output
-- random input { [4][4]f64 [4][8]f64 } auto output
-- random input { [9][17]f64 [17][33]f64 } auto output
-- random input { [21][40]f64 [40][70]f64 } auto output

-- ==
-- entry: i32_nn
-- random input { [0][5]i32 [5][9]i32 } auto output
-- random input { [1][1]i32 [1][1]i32 } auto output
-- random input { [4][4]i32 [4][8]i32 } auto output
-- random input { [9][17]i32 [17][33]i32 } auto output
-- random input { [21][40]i32 [40][70]i32 } auto output

-- ==
-- entry: i64_nn
-- random input { [0][5]i64 [5][9]i64 } auto output
-- random input { [1][1]i64 [1][1]i64 } auto output
-- random input { [4][4]i64 [4][8]i64 } auto output
-- random input { [9][17]i64 [17][33]i64 } auto output
-- random input { [21][40]i64 [40][70]i64 } auto output

-- ==
-- entry: u32_nn
-- random input { [0][5]u32 [5][9]u32 } auto output
-- random input { [1][1]u32 [1][1]u32 } auto output
-- random input { [4][4]u32 [4][8]u32 } auto output
-- random input { [9][17]u32 [17][33]u32 } auto output
-- random input { [21][40]u32 [40][70]u32 } auto output

-- ==
-- entry: complex
-- random input { [0][5]f32 [0][5]f32 [5][9]f32 [5][9]f32 } auto output
-- random input { [1][1]f32 [1][1]f32 [1][1]f32 [1][1]f32 } auto output
-- random input { [4][4]f32 [4][4]f32 [4][8]f32 [4][8]f32 } auto output
-- random input { [9][17]f32 [9][17]f32 [17][33]f32 [17][33]f32 } auto output
-- random input { [21][40]f32 [21][40]f32 [40][70]f32 [40][70]f32 } auto output

-- ==
-- entry: shifted
-- random input { [0][5]f32 [5][9]f32 [0]f32 [9]f32 } auto output
-- random input { [1][1]f32 [1][1]f32 [1]f32 [1]f32 } auto output
-- random input { [4][4]f32 [4][8]f32 [4]f32 [8]f32 } auto output
-- random input { [9][17]f32 [17][33]f32 [9]f32 [33]f32 } auto output
-- random input { [21][40]f32 [40][70]f32 [21]f32 [70]f32 } auto output

-- ==
-- entry: nt tn tt batch
-- random input { [0][0]f32 [0][0]f32 } auto output
-- random input { [1][1]f32 [1][1]f32 } auto output
-- random input { [19][19]f32 [19][19]f32 } auto output
-- random input { [45][45]f32 [45][45]f32 } auto output

-- ==
-- entry: in_place
-- random input { [11][13]f32 [13][37]f32 [11][37]f32 } auto output

def whole (x: f32): i32 = i32.f32 (x * 1000)

def product 'a [n] [m] [k] (add: a -> a -> a) (mul: a -> a -> a) (zero: a) (a: [n][m]a) (b: [m][k]a): [n][k]a =
  map (\row -> map (\col -> reduce add zero (map2 mul row col)) (transpose b)) a

entry f32_nn [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) = product (+) (*) 0 a b

entry f64_nn [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) = product (+) (*) 0 a b
entry i32_nn [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) = product (+) (*) 0 a b
entry i64_nn [n] [m] [k] (a: [n][m]i64) (b: [m][k]i64) = product (+) (*) 0 a b
entry u32_nn [n] [m] [k] (a: [n][m]u32) (b: [m][k]u32) = product (^) (&) 0 a b

entry converted [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (+) (*) 0 (map (map f64.f32) a) (map (map f64.f32) b)

entry small [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (+) (*) 0 (map (map (u8.i32 <-< whole)) a) (map (map (u8.i32 <-< whole)) b)

entry most [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) = product f32.max (+) (-f32.inf) a b

entry complex [n] [m] [k] (ar: [n][m]f32) (ai: [n][m]f32) (br: [m][k]f32) (bi: [m][k]f32): ([n][k]f32, [n][k]f32) =
  map2 (\xs ys ->
          map2 (\zs ws ->
                  reduce (\(x, y) (z, w) -> (x + z, y + w)) (0, 0)
                         (map4 (\x y z w -> (x * z - y * w, x * w + y * z)) xs ys zs ws))
               (transpose br)
               (transpose bi)
          |> unzip)
       ar
       ai
  |> unzip

-- Values of the row and of the column alone, inside of the accumulation.
entry shifted [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) (rs: [n]f32) (cs: [k]f32): [n][k]f32 =
  map2 (\row r -> map2 (\col c -> reduce (+) 0 (map2 (\x y -> (x - r) * (y - c)) row col)) (transpose b) cs) a rs

-- What is done with the sums depends on row and column.
entry weighted [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32): [n][k]f32 =
  map2 (\i row ->
          map2 (\j col -> 2 * (1 + reduce (+) 0 (map2 (*) row col)) + f32.i64 (i * j)) (indices (transpose b)) (transpose b))
       (indices a)
       a

entry pairs [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32): [n][k]f32 =
  map (\row -> map (\col -> f32.sqrt (reduce (+) 0 (map2 (\x y -> (x - y) * (x - y)) row col))) (transpose b)) a

entry nt [n] (a: [n][n]f32) (b: [n][n]f32) = product (+) (*) 0 a (transpose b)
entry tn [n] (a: [n][n]f32) (b: [n][n]f32) = product (+) (*) 0 (transpose a) b
entry tt [n] (a: [n][n]f32) (b: [n][n]f32) = product (+) (*) 0 (transpose a) (transpose b)
entry batch [n] (a: [n][n]f32) (b: [n][n]f32) = map (\x -> product (+) (\y z -> x * y * z) 0 a b) [1, 2, 3]

entry in_place [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) (c: *[n][k]f32): [n][k]f32 =
  map2 (\row cs -> map2 (\col x -> x + reduce (+) 0 (map2 (*) row col)) (transpose b) cs) a c
