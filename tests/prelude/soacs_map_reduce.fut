-- Maps, reductions, scans and quantifiers.
-- ==
-- entry: maps
-- input { [1, 2] [10, 20] [100, 200] [1000, 2000] [10000, 20000] }
-- output { [-1, -2] [-1, -2] [9, 18] [91, 182] [909, 1818] [9091, 18182] }

-- ==
-- entry: reductions
-- input { [3, 1, 2] } output { 6 6 312 3 }
-- input { empty([0]i32) } output { 0 0 0 -2147483648 }

-- ==
-- entry: scans
-- input { [3, 1, 2, 5] } output { [3, 4, 6, 11] [0, 3, 4, 6] [3, 31, 312, 3125] }
-- input { [8] } output { [8] [0] [8] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: quantifiers
-- input { [2, 4] } output { true false }
-- input { [1, 4] } output { false true }
-- input { empty([0]i32) } output { true false }

entry maps [n] (as: [n]i32) (bs: [n]i32) (cs: [n]i32) (ds: [n]i32) (es: [n]i32) =
  ( map (\a -> -a) as
  , map1 (\a -> -a) as
  , map2 (\a b -> b - a) as bs
  , map3 (\a b c -> c - b + a) as bs cs
  , map4 (\a b c d -> d - c + b - a) as bs cs ds
  , map5 (\a b c d e -> e - d + c - b + a) as bs cs ds es
  )

-- Appending decimal numbers is associative, but not commutative.
def append (x: i64, digits_x: i64) (y: i64, digits_y: i64) =
  (x * 10 ** digits_y + y, digits_x + digits_y)

def digit (x: i32) = (i64.i32 x, 1i64)

entry reductions (xs: []i32) : (i32, i32, i32, i32) =
  ( reduce (+) 0 xs
  , reduce_comm (+) 0 xs
  , i32.i64 (reduce append (0, 0) (map digit xs)).0
  , reduce_comm i32.max i32.lowest xs
  )

entry scans [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) =
  (scan (+) 0 xs, exscan (+) 0 xs, map (\(x, _) -> i32.i64 x) (scan append (0, 0) (map digit xs)))

entry quantifiers (xs: []i32) : (bool, bool) = (all (\x -> x % 2 == 0) xs, any (\x -> x % 2 == 1) xs)
