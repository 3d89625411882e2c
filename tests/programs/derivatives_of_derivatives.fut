-- Second derivatives in reverse mode alone, of loops that read and change arrays at a few places: the way back of such a loop is a loop that adds to arrays where its maps have read.
-- What it changes is undone. They must agree with forward mode.

def number (i: i64) : f64 = 0.5 + f64.i64 (i * 7919 % 101) / 100

def close (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)

def agrees [n] (f: [n]f64 -> f64) : bool =
  let (x, v) = (tabulate n number, tabulate n (\i -> number (i + 3)))
  let g = \x -> vjp f x 1
  in and (map2 close (vjp g x v) (jvp g x v))

def square [n] (xs: [n]f64) = f64.sum (map (\x -> x * x) xs)

-- A map reads three elements.
def window [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 3..<n do
             let s = f64.sum (map (\k -> f64.sin xs[i - 1 - k] * f64.i64 (k + 1)) (iota 3))
             in xs with [i] = s * xs[i]
  in square xs

-- A histogram, some of whose indices are outside.
def adds [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i < n do
             let js = map (\k -> (i * 5 + k * 3) % n) (iota 4)
             in reduce_by_index xs (+) 0 (map (\j -> j - 1) js) (map (\j -> f64.sin xs[j] / 4) js)
  in square xs

-- A scatter of what a map of maps reads.
def writes [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i < n do
             let vs = map (\k -> f64.sum (map (\l -> xs[(i + 3 * k + l) % n] * xs[(i + l) % n]) (iota 2)) / 2) (iota 3)
             in scatter xs (map (\k -> (i * i + k) % n) (iota 3)) vs
  in square xs

-- More places than the array has, so that it is kept as a whole.
def many [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i < 4 do
             let vs = map (\k -> f64.sin xs[(k + i) % n] / 9) (iota (3 * n))
             in reduce_by_index xs (+) 0 (map (\k -> k % n) (iota (3 * n))) vs
  in square xs

-- What is read depends on a branch.
def branches [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 4..<n do
             let s = f64.sum (map (\k -> if xs[k] < 1 then f64.sin xs[i - k] else xs[i] * xs[i - 1 - k]) (iota 3))
             in if s > 1 then xs with [i] = s / 2 else xs with [i - 1] = xs[i] * s
  in square xs

-- Rows of a matrix, and elements of it.
def rows [n] (a: [n]f64) : f64 =
  let m = i64.f64 (f64.sqrt (f64.i64 n))
  let start = tabulate_2d m m (\i j -> a[i * m + j])
  let u = loop u = start for i in 1..<m do
            let row = map2 (\x y -> x * y / 2) u[i - 1] u[i]
            let u = u with [i] = row
            in reduce_by_index_2d u (+) 0 (map (\k -> (k, i)) (iota m)) (map (\k -> u[i, k] * u[k, i]) (iota m))
  in f64.sum (map square u)

-- Loops in loops.
def sweeps [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for _k < 3i64 do
             loop xs for i in 1..<n - 1 do
               xs with [i] = f64.sum (map (\d -> f64.cos xs[i + d]) [-1, 0, 1])
  in square xs

-- A loop in the function of a map.
def inner [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 4..<n do
             let s = f64.sum (map (\k -> loop s = 1 for l < k do s * xs[i - l - 1]) (iota 4))
             in xs with [i] = f64.sin s * xs[i]
  in square xs

-- A condition in place of a number of iterations.
def until [n] (a: [n]f64) : f64 =
  let (xs, _) = loop (xs, i) = (copy a, 1) while i < n do
                  (xs with [i] = f64.sum (map (\d -> xs[i - d] * xs[i - d]) [0, 1]) / 2, i + 1)
  in f64.sum xs

-- Contributions to accumulators, at a place and in a nest of maps; those of the second kind overwrite.
def streams [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i < n do
             let add (acc: *intrinsics.acc ([n]f64)) (j: i64) =
               let acc = intrinsics.acc_write acc ((i + j) % n) (f64.sin a[j])
               in intrinsics.acc_write acc j (f64.cos a[(i + j) % n] / 3)
             let xs = intrinsics.hist_stream xs (+) 0 add [0, 1]
             let ys = map (\j -> xs[(i + j) % n] * xs[j]) [0, 1, 2]
             let put (acc: *intrinsics.acc ([n]f64)) (j, y) = if j == 1 then acc else intrinsics.acc_write acc (i + j - 1) (y / 2)
             in intrinsics.scatter_stream xs put (zip [0, 1, 2] ys)
  in square xs

-- Contributions in loops: as many as anywhere, as the position says, as long as a condition holds, in nested loops of which the first is in no map, and
-- in branches. The last ones overwrite.
def repeated [n] (a: [n]f64) : f64 =
  let put (acc: *intrinsics.acc ([n]f64)) i v : *intrinsics.acc ([n]f64) = intrinsics.acc_write acc i v
  let xs = loop xs = copy a for i < n do
             let ys = map (\j -> f64.sin (xs[(i + j) % n] * xs[(i * j) % n]) / 4) [0, 1, 2]
             let known (acc: *intrinsics.acc ([n]f64)) (j, y) : *intrinsics.acc ([n]f64) =
               loop acc for k < 2i32 do put acc ((i + j + i64.i32 k) % n) (y * f64.i32 k)
             let xs = intrinsics.hist_stream xs (+) 0 known (zip [0, 1, 2] ys)
             let differing (acc: *intrinsics.acc ([n]f64)) (j, y) : *intrinsics.acc ([n]f64) =
               let (acc, _) = loop (acc, s) = (acc, 1) for k < (i + j) % 3 - 1 do
                                (if (j + k) % 2 == 0 then put acc (k + s) (y * a[k]) else acc, s + 2)
               in loop acc for k < j do loop acc for l < k do put acc ((k + l) % n) (f64.sin y)
             let xs = intrinsics.hist_stream xs (+) 0 differing (zip [0, 1, 2] ys)
             let ends (acc: *intrinsics.acc ([n]f64)) (j, y) : *intrinsics.acc ([n]f64) =
               let (acc, _) = loop (acc, p) = (acc, i + j) while p % 4 != 0 do (put acc (p % n) (y * f64.i64 p / 9), p + 1)
               in acc
             let zs = map (\j -> f64.cos (xs[j] * xs[(i + j) % n]) / 3) [0, 1, 2]
             let xs = intrinsics.hist_stream xs (+) 0 ends (zip [0, 1, 2] zs)
             let once (acc: *intrinsics.acc ([n]f64)) (j, y) : *intrinsics.acc ([n]f64) =
               loop acc for k in 1..<4 do if k == i % 4 then put acc ((i + j) % n) (y / 2) else acc
             in intrinsics.scatter_stream xs once (zip [0, 1] zs[:2])
  in square xs

entry window2 (n: i64) = agrees (window : [n]f64 -> f64)
entry adds2 (n: i64) = agrees (adds : [n]f64 -> f64)
entry writes2 (n: i64) = agrees (writes : [n]f64 -> f64)
entry many2 (n: i64) = agrees (many : [n]f64 -> f64)
entry branches2 (n: i64) = agrees (branches : [n]f64 -> f64)
entry rows2 (n: i64) = agrees (rows : [n]f64 -> f64)
entry sweeps2 (n: i64) = agrees (sweeps : [n]f64 -> f64)
entry inner2 (n: i64) = agrees (inner : [n]f64 -> f64)
entry until2 (n: i64) = agrees (until : [n]f64 -> f64)
entry streams2 (n: i64) = agrees (streams : [n]f64 -> f64)
entry repeated2 (n: i64) = agrees (repeated : [n]f64 -> f64)

-- ==
-- entry: window2 adds2 writes2 many2 branches2 rows2 sweeps2 inner2 until2 streams2 repeated2
-- input { 4i64 } output { true }
-- input { 25i64 } output { true }
