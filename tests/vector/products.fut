-- Nests that are tiled: rows and columns that end inside of a tile, all layouts, several kinds of accumulation.
-- ==
-- entry: f32_nn f64_nn i32_nn i64_nn u8_nn most complex shifted weighted pairs
-- random input { [0][5]f32 [5][9]f32 } auto output
-- random input { [3][0]f32 [0][9]f32 } auto output
-- random input { [1][1]f32 [1][1]f32 } auto output
-- random input { [4][4]f32 [4][8]f32 } auto output
-- random input { [8][16]f32 [16][32]f32 } auto output
-- random input { [9][17]f32 [17][33]f32 } auto output
-- random input { [21][40]f32 [40][70]f32 } auto output
-- random input { [40][5]f32 [5][7]f32 } auto output

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

entry f64_nn [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (+) (*) 0 (map (map f64.f32) a) (map (map f64.f32) b)

entry i32_nn [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (+) (*) 0 (map (map whole) a) (map (map whole) b)

entry i64_nn [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (+) (*) 0 (map (map (i64.i32 <-< whole)) a) (map (map (i64.i32 <-< whole)) b)

entry u8_nn [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (+) (*) 0 (map (map (u8.i32 <-< whole)) a) (map (map (u8.i32 <-< whole)) b)

entry most [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) = product f32.max (+) (-f32.inf) a b

entry complex [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) =
  product (\(x, y) (z, w) -> (x + z, y + w)) (\(x, y) (z, w) -> (x * z - y * w, x * w + y * z)) (0, 0)
          (map (map (\x -> (x, 1 - x))) a)
          (map (map (\x -> (x, x * x))) b)
  |> map unzip
  |> unzip

-- Values of the row and of the column alone, inside of the accumulation.
entry shifted [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32): [n][k]f32 =
  let means = map (\col -> reduce (+) 0 col / f32.i64 (i64.max 1 m)) (transpose b)
  let firsts = map (\row -> if m == 0 then 0 else row[0]) a
  in map2 (\row first ->
             map2 (\col mean -> reduce (+) 0 (map2 (\x y -> (x - first) * (y - mean)) row col)) (transpose b) means)
          a
          firsts

-- What is done with the sums depends on row and column.
entry weighted [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32): [n][k]f32 =
  map2 (\i row ->
          map2 (\j col -> 2 * reduce (+) 1 (map2 (*) row col) + f32.i64 (i * j)) (indices (transpose b)) (transpose b))
       (indices a)
       a

entry pairs [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32): [n][k]f32 =
  map (\row -> map (\col -> f32.sqrt (reduce (+) 0 (map2 (\x y -> (x - y) * (x - y)) row col))) (transpose b)) a

entry nt [n] (a: [n][n]f32) (b: [n][n]f32) = product (+) (*) 0 a (transpose b)
entry tn [n] (a: [n][n]f32) (b: [n][n]f32) = product (+) (*) 0 (transpose a) b
entry tt [n] (a: [n][n]f32) (b: [n][n]f32) = product (+) (*) 0 (transpose a) (transpose b)
entry batch [n] (a: [n][n]f32) (b: [n][n]f32) = map (\x -> product (+) (*) x a b) [0, 1, 2]

entry in_place [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) (c: *[n][k]f32): [n][k]f32 =
  map2 (\row cs -> map2 (\col x -> x + reduce (+) 0 (map2 (*) row col)) (transpose b) cs) a c
