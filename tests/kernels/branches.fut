-- Branches in which the threads of a block meet, and which end alike. Optimisers of device programs may not make one end of both, with a barrier.

-- Both branches copy two arrays.
-- ==
-- entry: copies
-- input { [false, true, false] [1f64, 2f64] [10f64, 20f64] }
-- output { [156f64, 1032f64] [3059f64, 62855f64] }
-- input { empty([0]bool) [1f64, 2f64] [10f64, 20f64] } output { [1f64, 2f64] [10f64, 20f64] }
entry copies [k] (turn: [k]bool) (x: [2]f64) (y: [2]f64) : ([2]f64, [2]f64) =
  loop (x: [2]f64, y: [2]f64) = (x, y) for i < k do
    let (a, b) = if turn[i] then (copy y, copy x) else (copy x, map (+ 1) y)
    in (map2 (+) a b, map2 (*) a b)

-- More than two branches, and a question in another one.
-- ==
-- entry: cases
-- input { [0, 1, 2, 3, 4, 5] [1, 2] [10, 20] } auto output
entry cases [k] (which: [k]i32) (x: [2]i32) (y: [2]i32) : ([2]i32, [2]i32) =
  loop (x: [2]i32, y: [2]i32) = (x, y) for i < k do
    let (a, b) =
      match which[i]
      case 0 -> (copy y, copy x)
      case 1 -> (copy x, copy x)
      case 2 -> (map (+ 3) y, copy y)
      case _ -> if x[0] % 2 == 0 then (map (+ 2) x, copy x) else (copy y, copy y)
    in (map2 (+) a b, map2 (-) a b)

-- ==
-- entry: questions
-- input { [0, 1, 2, 3] [1, 2] [10, 20] } auto output
entry questions [k] (which: [k]i32) (x: [2]i32) (y: [2]i32) : ([2]i32, [2]i32) =
  loop (x: [2]i32, y: [2]i32) = (x, y) for i < k do
    let (a, b) = if which[i] < 1 then (copy y, copy x) else if which[i] < 2 then (copy x, copy x) else (copy y, copy y)
    in (map2 (+) a b, map2 (-) a b)

-- The branches of a return sweep.
-- ==
-- entry: gradient
-- input { [false, true, false] [1f64, 2f64] [10f64, 20f64] } auto output
entry gradient [k] (turn: [k]bool) (x: [2]f64) (y: [2]f64) : ([2]f64, [2]f64) =
  let last (x: [2]f64, y: [2]f64) : f64 =
    let (x, _) =
      loop (x: [2]f64, y: [2]f64) = (x, y) for i < k do
        let z = map2 (\x y -> x * x - y) x y
        in if turn[i] then (y, z) else (x, z)
    in f64.sum x
  in vjp last (x, y) 1
