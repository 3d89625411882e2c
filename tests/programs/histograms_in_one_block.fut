-- Histograms of one operator, whose destinations are parts of one array: each direction adds to a row of its own.
-- ==
-- entry: directions
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }
-- output { [[2, 2, 2, 2, 2, 2, 2, 2, 2, 2], [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]] }
-- input { [0, 1, 2, 0, 1, 2, 0] }
-- output { [[4, 3, 3, 1, 1, 1, 1], [4, 0, 0, 1, 0, 0, 1]] }

def add [n] (xs: [n]i32) : [n]i32 =
  reduce_by_index (copy xs) (+) 0 (map i64.i32 xs) xs

entry directions [n] (xs: *[n]i32) =
  jmp add xs [replicate n 1, map (\x -> if x == 0 then 1 else 0) xs]
