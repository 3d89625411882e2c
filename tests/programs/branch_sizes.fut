-- Sizes that branches, loops and ends of scopes leave unknown are those of the values at run time.
-- ==
-- entry: pushed
-- input { [1, 2] } output { [1, 2, 3, 4] }
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } output { [3, 4] }
-- input { empty([0]i32) } output { [3, 4] }

-- ==
-- entry: reset
-- input { 4i64 7i64 } output { [4, 5, 6] }
-- input { 9i64 7i64 } output { [0, 1, 2, 3, 4, 5, 6] }
-- input { 0i64 0i64 } output { empty([0]i32) }

-- ==
-- entry: replaced
-- input { 2i64 true } output { [3, 3] }
-- input { 2i64 false } output { [1, 1] }

-- ==
-- entry: grown
-- input { 2i64 true } output { [0, 0, 1, 1] }
-- input { 2i64 false } output { [5, 5, 1] }

-- ==
-- entry: chosen
-- input { true [[1, 2], [3, 4]] } output { [[9, 9], [9, 9]] [[1, 2], [3, 4]] }
-- input { false [[1, 2], [3, 4]] } output { [[1, 2], [3, 4]] [[9, 9], [9, 9]] }

-- ==
-- entry: related
-- input { 2i64 } output { [0, 0, 0, 1, 2, 3, 4, 5, 6] }

-- ==
-- entry: curried
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [1i64, 2i64, 3i64]] [[0i64, 1i64], [1i64, 2i64], [2i64, 3i64]] }

-- ==
-- entry: swapped
-- input { [1, 2] [3] } output { [3] [1, 2] }

def push (xs: []i32) (x: i32) : []i32 = if length xs > 10 then [x] else xs ++ [x]

entry pushed (xs: []i32) = push (push xs 3) 4

entry reset (at: i64) (n: i64) : []i32 =
  loop xs = [] for i < n do if i == at then [i32.i64 i] else xs ++ [i32.i64 i]

entry replaced (n: i64) (c: bool) : []i32 =
  let ys : [n]i32 =
    loop xs = replicate n 0
    for _i < 3i32 do
      let ys = if c then xs else replicate n 0
      in if c then map (+ 1) ys else map (+ 1) (replicate n 0)
  in ys

entry grown (n: i64) (c: bool) : []i32 =
  loop xs = replicate n 0
  for _i < 2i32 do
    let ys = if c then xs else replicate n 5
    in ys ++ [1]

entry chosen (c: bool) (xss: [][2]i32) =
  let other = [9, 9]
  let all = map (\xs -> if c then other else xs)
  in (all xss, xss |> map (\xs -> if c then xs else other))

def some (n: i64, first: i32) = (replicate (n + 1) 0i32, map (\i -> first + i32.i64 i) (iota ((n + 1) * 2)))

def join [k] (xs: [k]i32) (ys: [k * 2]i32) : [k * 3]i32 = xs ++ ys

entry related (n: i64) : []i32 =
  let (xs, ys) = some (n, 1)
  in join xs ys

def apply '^a '^b (f: a -> b) (x: a) : b = f x

def grid (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (+)

entry curried (n: i64) (m: i64) = (apply (apply grid n) m, uncurry (flip grid) (n, m))

entry swapped (xs: []i32) (ys: []i32) : ([]i32, []i32) = loop (xs, ys) for _i < 3i32 do (ys, xs)
