-- A check that fails in a function that the operator of a reduction calls ends the program; no thread waits for another one.

#[noinline]
def shifted (a: i64) (n: i64) : i64 = loop a for i < 3 do if i == 1 then a * 10 ** n else a

def append (a: i64, n: i64) (b: i64, m: i64) : (i64, i64) = (shifted a m + b, n + m)

-- ==
-- entry: total
-- input { [1i64, 2i64, 3i64] 0i64 0i64 } output { 123i64 }
-- input { [1i64, 2i64, 3i64] 5000i64 0i64 } output { 8198552921648689607i64 }
-- input { [1i64, 2i64, 3i64] 5000i64 2i64 } error: negative exponent
entry total (xs: []i64) (more: i64) (k: i64) : i64 =
  (reduce append (0, 0) (map (\x -> (x, 1 - k)) (xs ++ replicate more 1))).0

-- ==
-- entry: rows
-- input { [1i64, 2i64, 3i64] 0i64 0i64 } output { [123i64, 234i64, 345i64] }
-- input { [1i64, 2i64, 3i64] 500i64 0i64 } output { [8198552921648689607i64, -2049638230412172402i64, 6148914691236517205i64] }
-- input { [1i64, 2i64, 3i64] 500i64 2i64 } error: negative exponent
entry rows (xs: []i64) (more: i64) (k: i64) : []i64 =
  map (\i -> (reduce append (0, 0) (map (\x -> (x + i, 1 - k)) (xs ++ replicate more 1))).0) (iota 3)
