-- Arrays whose dimensions lie in memory in another order, because neighbouring threads access neighbouring elements then: results do
-- not depend on it, whoever makes, carries, changes and returns them.

def weigh [n] (xs: [n]i32) : i32 = i32.sum (map2 (\x i -> x * (i32.i64 i % 17 + 1)) xs (indices xs))

def fold [m] (row: [m]i32) : i32 = loop s = 1 for x in row do s * 3 + x

def row (m: i64) (x: i32) : [m]i32 =
  loop r = replicate m x for i < m - 1 do r with [i + 1] = r[i] * 5 + i32.i64 i

entry make (n: i64) (m: i64) : [n][m]i32 =
  tabulate_2d n m (\i j -> i32.i64 (i * 7 + j * j) % 101)

-- Threads read rows, blocks read columns.
-- ==
-- entry: read
-- script input { make 70i64 33i64 } output { 792786402i32 1016070i32 333463213i32 }
-- script input { make 1i64 300i64 } output { 110774203i32 135170i32 135170i32 }
-- script input { make 0i64 3i64 } output { 0i32 0i32 0i32 }
entry read [n] [m] (a: [n][m]i32) : (i32, i32, i32) =
  ( weigh (map fold a)
  , weigh (map (reduce (+) 0) (transpose a))
  , weigh (map weigh (map (scan (+) 0) (transpose a)))
  )

-- Threads make rows, which others read by rows, by columns and by elements.
-- ==
-- entry: made
-- script input { make 70i64 33i64 } output { 621363607i32 493223722i32 [[188206655i32, 941033276i32, 410199086i32], [-625804674i32, 1165943927i32, 1534752341i32]] }
entry made [n] [m] (a: [n][m]i32) : (i32, i32, [2][3]i32) =
  let b = map (\r -> row m (fold r)) a
  in (weigh (map fold b), weigh (map fold (transpose b)), b[n / 2:n / 2 + 2, 1:4])

-- An array that a loop replaces, one that it does not change, and one that it turns.
-- ==
-- entry: looped
-- script input { make 40i64 40i64 } output { 674303144i32 -870485542i32 }
entry looped [n] (a: [n][n]i32) : (i32, i32) =
  let (b, c) =
    loop (b, c) = (a, map (map (+ 1)) a)
    for i < 3 do
      let d = map2 (\r s -> row n (fold r + fold s)) b a
      in (d, transpose (map2 (map2 (\x y -> x + y + i32.i64 i)) c d))
  in (weigh (map weigh b), weigh (map weigh c))

-- An array of which nobody knows before who has made it.
-- ==
-- entry: branch
-- script input { (true, make 40i64 20i64) } output { -75967033i32 }
-- script input { (false, make 40i64 20i64) } output { 257618896i32 }
entry branch [n] [m] (c: bool) (a: [n][m]i32) : i32 =
  let b = if c then map (\r -> row m (fold r)) a else map (\r -> row m (r[0] + r[m - 1])) a
  in weigh (map fold b) + weigh (map weigh b)

-- Rows that are changed where they are, and an element of the whole.
-- ==
-- entry: changed
-- script input { make 40i64 20i64 } output { -1610874555i32 1618173338i32 }
entry changed [n] [m] (a: [n][m]i32) : (i32, i32) =
  let b = map (\r -> row m (fold r)) a
  let b = b with [3, 4] = 7
  let b = map2 (\r i -> copy r with [i % m] = fold r) b (iota n)
  let b[1] = a[2]
  in (weigh (map fold b), weigh (map weigh b))

-- Threads in two dimensions that go through a third, first and last.
-- ==
-- entry: cubes
-- script input { make 40i64 24i64 } output { 1168436318i32 -1361880456i32 50427168i32 }
entry cubes [n] [m] (a: [n][m]i32) : (i32, i32, i32) =
  let c = map (\r -> map (\x -> row 9 (x + r[0])) r) a
  let d = map (map fold) c
  let e = map transpose (map (map (\r -> row 5 (fold r))) c)
  in (weigh (map weigh d), weigh (map (\p -> weigh (map fold p)) e), weigh (flatten (flatten c)))

-- A slice of rows and columns that becomes a vector, which no index function describes.
-- ==
-- entry: corners
-- input { [1i64, 0i64] [[[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[10, 20, 30], [40, 50, 60], [70, 80, 90]]] }
-- output { [[[4, 5, 7, 8], [40, 50, 70, 80]], [[1, 2, 4, 5], [10, 20, 40, 50]]] }
entry corners [k] [n] (as: [k]i64) (a: [n][3][3]i32) : [k][n][4]i32 =
  #[unsafe] map (\i -> map (\m -> flatten m[i:i + 2, 0:2] :> [4]i32) a) as
