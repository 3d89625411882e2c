-- Changes of shape are row-major and undo each other.
-- ==
-- entry: flat
-- input { [[1, 2, 3], [4, 5, 6]] } output { [1, 2, 3, 4, 5, 6] [[1, 4], [2, 5], [3, 6]] [1, 4, 2, 5, 3, 6] }
-- input { empty([0][3]i32) } output { empty([0]i32) empty([3][0]i32) empty([0]i32) }

-- ==
-- entry: flat_more
-- input { 2i64 1i64 3i64 2i64 }
-- output { [0i64, 1i64, 2i64, 10i64, 11i64, 12i64]
--          [0i64, 1000i64, 1i64, 1001i64, 2i64, 1002i64, 10i64, 1010i64, 11i64, 1011i64, 12i64, 1012i64] }

-- ==
-- entry: round_trips
-- input { 2i64 3i64 4i64 2i64 } output { true true true 23i64 47i64 }

entry flat [n] [m] (xss: [n][m]i32) = (flatten xss, transpose xss, flatten (transpose xss))

entry flat_more (n: i64) (m: i64) (l: i64) (k: i64) =
  let xs = tabulate_3d n m l (\i j k -> 10 * i + 100 * j + k)
  let ys = map (map (map (\x -> tabulate k (\i -> x + 1000 * i)))) xs
  in (flatten_3d xs, flatten_4d ys)

entry round_trips (n: i64) (m: i64) (l: i64) (k: i64) =
  let same [a] (xs: [a]i64) (ys: [a]i64) = and (map2 (==) xs ys)
  let two: [n][m]i64 = unflatten (iota (n * m))
  let three: [n][m][l]i64 = unflatten_3d (iota (n * m * l))
  let four: [n][m][l][k]i64 = unflatten_4d (iota (n * m * l * k))
  in ( same (flatten two) (iota (n * m))
     , same (flatten_3d three) (iota (n * m * l))
     , same (flatten_4d four) (iota (n * m * l * k))
     , three[n - 1, m - 1, l - 1]
     , four[n - 1, m - 1, l - 1, k - 1]
     )
