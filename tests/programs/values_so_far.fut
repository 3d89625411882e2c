-- Scans and reductions of rows store what they make where the value so far is, and each component where it is itself: they agree
-- with those of columns.

-- ==
-- entry: scans reductions
-- script input { some_numbers 1i64 5i64 } output { true }
-- script input { some_numbers 7i64 1i64 } output { true }
-- script input { some_numbers 40i64 33i64 } output { true }
-- script input { some_numbers 3000i64 3i64 } output { true }
-- script input { some_numbers 0i64 4i64 } output { true }

entry some_numbers (n: i64) (m: i64) : [n][m]i32 =
  tabulate_2d n m (\i j -> i32.i64 ((i * 31 + j * 17) % 11) - 5)

def same [n][m] (xss: [n][m]i32) (yss: [n][m]i32) = and (flatten (map2 (map2 (==)) xss yss))

def times (a: i32, b: i32) (c: i32, d: i32) = (a * c - b * d, a * d + b * c)

-- Inputs of the map are in another order than the components.
def rows [m] (bs: [m]i32, as: [m]i32) (ds: [m]i32, cs: [m]i32) =
  unzip (map4 (\a b c d -> let (x, y) = times (a, b) (c, d) in (y, x)) as bs cs ds)

entry scans [n][m] (xss: [n][m]i32) : bool =
  let yss = map (map (+ 1)) xss
  let (bss, ass) = unzip (scan rows (replicate m 0, replicate m 1) (zip yss xss))
  let columns = map2 (\xs ys -> scan times (1, 0) (zip xs ys)) (transpose xss) (transpose yss)
  let (as, bs) = unzip (map unzip columns)
  in same ass (transpose as) && same bss (transpose bs)

entry reductions [n][m] (xss: [n][m]i32) : bool =
  let yss = map (map (+ 1)) xss
  let (bs, as) = reduce rows (replicate m 0, replicate m 1) (zip yss xss)
  let columns = map2 (\xs ys -> reduce times (1, 0) (zip xs ys)) (transpose xss) (transpose yss)
  in and (map3 (\a b (c, d) -> a == c && b == d) as bs columns)
