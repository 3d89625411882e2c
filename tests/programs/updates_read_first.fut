-- The index and the new value of an update are computed before what is updated, so they may read what that consumes.
-- ==
-- entry: chain
-- input { [1i64, 5i64, 3i64] } output { [1i64, 1i64, 5i64] }
entry chain (xs: *[3]i64) : [3]i64 = (xs with [1] = xs[0]) with [2] = xs[1]

def zeroed [n] (a: *[n]i64) : *[n]i64 = a with [0] = 0
def grown (a: *[]i64) : *[]i64 = copy (zeroed a ++ [7])

-- ==
-- entry: called
-- input { [2i64, 5i64, 3i64] } output { [0i64, 2i64, 3i64] }
entry called (xs: *[3]i64) : [3]i64 = (zeroed xs) with [1] = xs[0]

-- ==
-- entry: indices
-- input { [2i64, 5i64, 3i64] } output { [0i64, 5i64, 9i64] }
entry indices (xs: *[3]i64) : [3]i64 = (zeroed xs) with [xs[0]] = 9

-- ==
-- entry: sizes
-- input { [2i64, 5i64, 3i64] } output { [0i64, 2i64, 3i64, 7i64] }
entry sizes (xs: *[]i64) : []i64 = (grown xs) with [1] = xs[0]

-- ==
-- entry: rows
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [[1i64, 1i64], [1i64, 2i64]] }
entry rows (xs: *[2][2]i64) : [2][2]i64 = (xs with [0, 1] = xs[0, 0]) with [1] = copy xs[0]

-- ==
-- entry: fields
-- input { [1i64, 5i64, 3i64] } output { [1i64, 1i64, 5i64] }
entry fields (xs: *[3]i64) : [3]i64 =
  let r = {a = xs, b = 1i32}
  in ((r with a[1] = r.a[0]) with a[2] = r.a[1]).a

-- A value whose size only the base brings into being comes after it.
-- ==
-- entry: base_first
-- input { 2i64 } output { [[7i64, 7i64], [0i64, 0i64]] }
def table (n: i64) : [][]i64 = replicate n (replicate n 0)
entry base_first (n: i64) : [][]i64 = copy (table n) with [0] = rep 7

-- Functions come before their arguments.
-- ==
-- entry: function_first
-- input { [2i64, 5i64] } output { 20i64 }
def join (a: i64) (b: i64) : i64 = 10 * a + b
entry function_first (xs: *[2]i64) : i64 = (xs[0] `join`) ((zeroed xs)[0])

-- A value that is made before its base is not made in the base's memory, wherever that is.
-- ==
-- entry: before_base
-- input { 1i64 } output { [7i64, 7i64, 1i64] }
-- input { 4i64 } output { [0i64, 0i64, 0i64] }
entry before_base (x: i64) : [3]i64 =
  if x > 3 then replicate 3 0 else replicate 3 x with [0:2] = replicate 2 7

-- ==
-- entry: before_row
-- input { 2i64 } output { [[0i64, 9i64, 9i64], [1i64, 9i64, 9i64]] }
entry before_row (n: i64) : [][3]i64 =
  map (\i -> replicate 3 i with [1:3] = replicate 2 9) (iota n)

-- ==
-- entry: before_joined
-- input { 1i64 [5i64] } output { [5i64, 8i64, 8i64, 1i64] }
-- input { 4i64 [5i64] } output { [0i64, 0i64, 0i64, 0i64] }
entry before_joined (x: i64) (ys: [1]i64) : [4]i64 =
  if x > 3 then replicate 4 0 else replicate 4 x with [0:3] = map (+ 0) ys ++ replicate 2 8

-- A branch whose result has a size of its own is not made in a place for another size, which is only checked afterwards.
-- ==
-- entry: branch_of_some_size
-- input { 0i64 } output { empty([1][0]f32) }
-- input { 2i64 } output { empty([1][0]f32) }
-- input { -2i64 } error: cannot match
entry branch_of_some_size (n: i64) : [1][0]f32 =
  [(let xs = replicate (i64.abs n) 1 in if n > 0 then [] else xs) :> [0]f32]

-- Nor is a branch of a known size, where another size is only checked afterwards.
-- ==
-- entry: branch_of_another_size
-- input { 1i64 } output { [[3i32], [0i32]] }
-- input { 3i64 } error: cannot match
entry branch_of_another_size (n: i64) : [2][1]i32 =
  [replicate 1 3, (let xs = replicate n 7 in if n > 0 then xs with [-73 % n] = 0 else xs) :> [1]i32]
