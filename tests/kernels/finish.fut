-- What follows a segmented reduction is done by the thread that has its results: of rows, of products, with several results, and with rows of others.
-- ==
-- entry: rows
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] [10i32, 20i32] }
-- output { [16i32, 35i32] }
-- input { empty([0][3]i32) empty([0]i32) }
-- output { empty([0]i32) }
-- input { empty([2][0]i32) [10i32, 20i32] }
-- output { [10i32, 20i32] }
entry rows [n] [m] (xss: [n][m]i32) (ys: [n]i32) : [n]i32 = map2 (\xs y -> y + i32.sum xs) xss ys

-- ==
-- entry: products
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] [[1i32, 0i32], [1i32, 1i32]] [100i32, 200i32] }
-- output { [[101i32, 203i32], [103i32, 207i32], [105i32, 211i32]] }
entry products [n] [m] [p] (a: [n][m]i32) (b: [p][m]i32) (c: [p]i32) : [n][p]i32 =
  map (\x -> map2 (\y c -> c + i32.sum (map2 (*) x y)) b c) a

-- ==
-- entry: both
-- input { [[1i32, 5i32, 3i32], [4i32, 2i32, 0i32]] [[7i32, 8i32], [1i32, 1i32]] 1i64 }
-- output { [17i32, 7i32] [12i32, 3i32] }
entry both [n] [m] [p] (a: [n][m]i32) (b: [n][p]i32) (k: i64) : ([n]i32, [n]i32) =
  unzip (map2 (\xs ys -> let s = i32.sum xs let m = i32.maximum xs in (s + ys[k], if s > 6 then s + m - 2 else m - 1)) a b)

-- Long rows, of which several blocks process each.
-- ==
-- entry: long
-- input { 3i64 100000i64 }
-- output { [0i64, 100001i64, 400002i64] }
entry long (n: i64) (m: i64) : [n]i64 = map (\i -> i + i * i64.sum (map (\j -> if i == 2 && j % 2 == 0 then 3 else 1) (iota m))) (iota n)

-- Each row is added to where it is.
-- ==
-- entry: added
-- input { 2i64 [[1i32, 2i32], [3i32, 4i32]] }
-- output { [[0i32, 0i32], [6i32, 14i32]] }
entry added [n] [m] (times: i64) (xss: [n][m]i32) : [2][n]i32 =
  loop sums = replicate 2 (replicate n 0) for _i < times do
    sums with [1] = map2 (\s xs -> s + i32.sum xs) sums[1] xss

-- Rows that are not in one piece: a thread copies one and reduces it by itself.
-- ==
-- entry: alone
-- input { [[[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]], [[7i32, 8i32, 9i32], [10i32, 11i32, 12i32]]] [5i32, 7i32] }
-- output { [691i32, 2879i32] }
entry alone [n] [m] [p] (xsss: [n][m][p]i32) (us: [n]i32) : [n]i32 =
  map2 (\xss u -> u * 2 + reduce (\a b -> a * 3 + b) 0 (flatten (transpose xss))) xsss us

-- Two reductions of the same sizes, one of which reads an array before it is changed.
-- ==
-- entry: changed
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] 1i64 }
-- output { [7i32, 13i32] [[9i32, 3i32, 3i32], [9i32, 3i32, 6i32]] [12i32, 30i32] }
entry changed [n] [m] (as: [n][m]i32) (bs: [n][m]i32) (i: i64) : ([n]i32, [n][m]i32, [n]i32) =
  let (s, cs) = unzip (map (\a -> let c = copy a with [i] = 3 let q = i32.sum c in (q, c with [0] = 9)) as)
  let t = map (\b -> i32.sum (map (* 2) b)) bs
  in (s, cs, t)
