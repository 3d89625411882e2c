-- Positions that all read the same elements, with sizes that are no multiples of a strip's. One thread has one position.
-- ==
-- entry: bodies
-- input { [1, 3] [2, 5] [1, 1] } output { [28, -28] [42, -42] }
-- input { empty([0]i32) empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }
-- random input { [257]i32 [257]i32 [257]i32 } auto output
-- random input { [1000]i32 [1000]i32 [1000]i32 } auto output

def force (x: i32, y: i32) (x': i32, y': i32, m: i32) =
  let (dx, dy) = (x' - x, y' - y)
  let s = m * (dx * dx + dy * dy + 1)
  in (s * dx, s * dy)

entry bodies [n] (xs: [n]i32) (ys: [n]i32) (ms: [n]i32) =
  #[sequential_inner]
  map2 (\x y ->
    map3 (\a b m -> force (x, y) (a, b, m)) xs ys ms
    |> reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0)) xs ys
  |> unzip

-- ==
-- entry: near
-- random input { [600]f64 [300]f64 } auto output
-- random input { [255]f64 [300]f64 } auto output
-- random input { [300]f64 [63]f64 } auto output
-- random input { [300]f64 [64]f64 } auto output
-- random input { [300]f64 [0]f64 } auto output

-- A branch and a loop in each step, and something to do with the result.
entry near [n] [m] (xs: [n]f64) (ys: [m]f64) =
  #[sequential_inner]
  map (\x ->
    let count = i64.sum (map (\y -> if f64.abs (x - y) < 0.1 then (loop k = 1 while f64.i64 k * y < x do k * 2) else 0) ys)
    in if count > 10 then 2 * count else count) xs

-- ==
-- entry: of_rows
-- random input { [3][300]i32 [3][70]i32 } auto output
-- random input { [5][256]i32 [5][257]i32 } auto output

-- The elements differ along the rows, and are the same along the columns.
entry of_rows [k] [n] [m] (a: [k][n]i32) (b: [k][m]i32) =
  map2 (\xs ys -> #[sequential_inner] map (\x -> i32.maximum (map (\y -> (x - y) % 1000) ys)) xs) a b

-- ==
-- entry: by_loop
-- random input { [17][29]i32 [300][2]i32 } auto output

-- Over both dimensions, by a loop, with two elements of a row.
entry by_loop [n] [m] [p] (a: [n][m]i32) (b: [p][2]i32) =
  map (map (\x -> #[sequential] loop s = x for k < p do (s ^ b[k, 0]) + x * b[k, 1])) a

-- ==
-- entry: cells
-- random input { [3][100]i32 [3][4]i64 [3]i64 } auto output
-- random input { [2][128]i32 [2][1]i64 [2]i64 } auto output
-- random input { [2][300]i32 [2][5]i64 [2]i64 } auto output
-- random input { [4][63]i32 [4][2]i64 [4]i64 } auto output

-- A fold in a loop, of elements that are looked up: the same ones for all positions of a row.
entry cells [n] [m] [k] (cells: [n][m]i32) (near: [n][k]i64) (counts: [n]i64) =
  map3 (\xs others count ->
    #[sequential_inner]
    map (\x ->
      loop s = x for l < count % (k + 1) do
        let ys = #[unsafe] cells[others[l] % n]
        in s ^ (map (\y -> (x - y) * s) ys |> i32.sum)) xs) cells near counts
