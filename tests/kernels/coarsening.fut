-- Maps that do little for each position, copies and fills; kernels of one thread, and checks of what only the device knows.
-- ==
-- entry: maps
-- input { 5000i64 } output { -1514308442 944584344 87502494 2007776092 -1407126083 284867051 }
-- input { 100i64 } output { 2871495 7350303 35044 2530539 25565585 -5110797 }
-- entry: planes
-- input { 7i64 13i64 60i64 } output { -1403461852 -1848074511 -1418367651 }
-- entry: turned
-- input { 1i64 300i64 } output { true }
-- input { 300i64 1i64 } output { true }
-- input { 3i64 300i64 } output { true }
-- input { 300i64 7i64 } output { true }
-- input { 0i64 5i64 } output { true }
-- input { 70i64 90i64 } output { true }
-- entry: circles
-- input { [0f32, 1f32, -3f32] [0f64, 100000f64] }
-- output { [0f32, 0.841471f32, -0.14112f32] [1f32, 0.540302f32, -0.989992f32] [1f64, -0.999361f64] [0f64, 0.0357488f64] }
-- entry: largest
-- input { 2000i64 } output { [1008, 1008, 1007, 1007, 1006] [765i64, 1774i64, 521i64, 1530i64, 277i64] }
-- entry: out_of_bounds
-- input { [3i64, 1i64, 2i64] } error: Index \[6\] out of bounds for array of shape \[3\]

def numbers (n: i64) = tabulate n (\i -> i32.i64 ((i * 7919) % 1009))

-- The update keeps what makes the array a kernel of its own.
def digest [n] (xs: *[n]i32) =
  let xs = xs with [n / 2] = 1
  in i32.sum (map2 (\i x -> (i32.i64 i + 1) * x) (indices xs) xs)

entry maps (n: i64) =
  let xs = numbers n
  let ys = map (* 3) (numbers n)
  let (low, high) = unzip (map2 (\x y -> if x + 500 < y then (x, y) else (y, x)) xs ys)
  in ( digest (copy low)
     , digest (copy high)
     , digest (replicate n 7)
     , digest (copy (reverse xs))
     , digest (concat xs ys)
     , digest (map2 (-) xs ys)
     )

entry planes (k: i64) (n: i64) (m: i64) =
  let xss = tabulate_3d k n m (\i j l -> i32.i64 (i * 1000 + j * 100 + l))
  in ( digest (copy (flatten_3d (map (map (map (+ 1))) xss)))
     , digest (copy (flatten_3d (map transpose xss)))
     , digest (copy (flatten_3d xss))
     )

-- Few rows, few columns, and a single one, which is the same in both layouts.
entry turned (n: i64) (m: i64) =
  let xss : [n][m]i32 = unflatten (numbers (n * m))
  let yss = copy (transpose xss)
  in and (flatten (map2 (map2 (==)) (tabulate_2d m n (\i j -> xss[j, i])) yss))

-- Sines and cosines of the same numbers, which are computed together.
entry circles [n] [m] (xs: [n]f32) (ys: [m]f64) =
  let (sines, cosines) = unzip (map (\x -> (f32.sin x, f32.cos x)) xs)
  let (others, more) = unzip (map (\y -> (f64.cos y, f64.sin y)) ys)
  in (sines, cosines, others, more)

entry largest (n: i64) =
  let larger (x, i) (y, j) : (i32, i64) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  let (found, _) =
    loop (found, xs) = (replicate 5 (0, 0), numbers n)
    for i < 5 do
      let (x, at) = reduce_comm larger (i32.lowest, n) (zip xs (indices xs))
      in (copy found with [i] = (x, at), copy xs with [at] = i32.lowest)
  in unzip found

entry out_of_bounds [n] (xs: [n]i64) = copy xs with [i64.sum xs] = 0
