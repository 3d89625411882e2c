-- Maps whose iterations go different ways: what runs in lanes must compute what it computes one after the other.
-- ==
-- entry: collatz reduced counted nested branches updates window guarded shared rows short matched wide fixed extrema ragged binned
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 16i64 } auto output
-- input { 77i64 } auto output
-- input { 200i64 } auto output

def numbers (n: i64): [n]i32 = opaque (tabulate n (\i -> i32.i64 ((i * 7919 + 13) % 1009)))

def steps (x: i32): i32 =
  let (_, c) = loop (x, c) = (x, 0) while x > 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, c + 1)
  in c

-- A while loop, with a branch in it.
entry collatz (n: i64): []i32 = map steps (numbers n)

-- The same, reduced in several ways.
entry reduced (n: i64): (i32, i32, i32, bool, bool, i32) =
  let all = map steps (numbers n)
  in (i32.sum all, i32.minimum all, i32.maximum all, and (map (< 150) all), or (map (> 100) all), reduce (^) 0 all)

-- Different numbers of iterations; for some there are none.
entry counted (n: i64): []i64 =
  map (\x -> loop a = 1 for i < i64.i32 (x % 7 - 2) do a * 3 + i) (numbers n)

-- Nested loops, both with their own bounds.
entry nested (n: i64): []i32 =
  map (\x -> loop a = x for i < x % 5 do
               let b = loop b = a while b % 7 != i32.min i 6 do b + 1
               in if b % 2 == 0 then (loop c = b for j < i do c * 2 + j) else b - x)
      (numbers n)

-- A loop that only some need, between things that all need.
entry branches (n: i64): []f32 =
  map (\x -> let y = f32.i32 x / 16
             let z = if x % 3 == 0 then (loop z = y while z > 1 do z / 2) else if x % 3 == 1 then -y else y * y
             in if z < 0 then z * 3 else f32.sqrt z + 1)
      (numbers n)

-- Updates of a small array, at places of which some are not there: this stays as it is.
entry updates (n: i64): [][4]i32 =
  map (\x -> let (_, a) = loop (k, a) = (x, replicate 4 0) while k > 0 do
                            (k / 3, if k % 5 < 4 then a with [i64.i32 (k % 5)] = k else a)
             in a)
      (numbers n)

-- Updates of a small array, by all at the same place, and each as often as it wants.
entry window (n: i64): []i32 =
  #[unsafe]
  map (\x -> let a = loop a = [x, x + 1, x + 2] for k < i64.i32 (x % 40) do a with [k % 3] = a[k % 3] * 3 + a[(k + 1) % 3]
             in a[0] + a[1] * 2 + a[2])
      (numbers n)

-- Elements that only some may read: the array has just `k` of them.
entry guarded (n: i64): []i32 =
  let k = n / 3
  let xs = numbers k
  in map (\i -> let (_, a) = loop (j, a) = (i, 0) while j < n && a < 5000 do
                               (j * 2 + 1, if j < k then a + xs[j] else a + 1)
                in a)
         (iota n)

-- What does not depend on the iteration, in loops that do.
entry shared (n: i64): []i32 =
  let table = numbers (i64.max 1 (n / 2))
  in map (\x -> loop a = x for i < x % 9 do if i64.i32 i < n / 2 then a + table[i64.i32 i] else a * 3) (numbers n)

-- Neighbours, read under a condition.
entry rows (n: i64): []i32 =
  let m = 20
  let xss = unflatten (numbers (m * n) :> [m * n]i32)
  in #[unsafe] map (\i -> loop a = 0 for j < m do if a < 2000 then a + xss[j, i] else a) (iota n)

-- Elements of which the last ones are not there, read in a loop by those that have one.
entry short (n: i64): []i32 =
  let k = n - n / 4
  let xs = numbers k
  in #[unsafe] map (\i -> let (_, a) = loop (j, a) = (0, 0) while j < i % 7 do (j + 1, if i < k then a * 2 + xs[i] else a - 1) in a) (iota n)

-- A match in a loop.
entry matched (n: i64): []u8 =
  map (\x -> let (_, s) = loop (x, s) = (x, 0u8) while x > 0 do
                            (x / 4, match x % 4 case 0 -> s + 1 case 1 -> s * 3 case 2 -> s ^ 85 case _ -> s - 1)
             in s)
      (numbers n)

-- 64 bits, and numbers that leave the range of a type in lanes that are done.
entry wide (n: i64): []f64 =
  map (\x -> let (a, _) = loop (a, k) = (f64.i32 x, 1i64) while a > 0.001 && k < 1000000007 do (a * 0.7, k * 3 + i64.i32 x) in a)
      (numbers n)

-- Fixed numbers of iterations.
entry fixed (n: i64): []u32 =
  map (\x -> loop s = u32.i32 x for i < 37 do s * 1664525 + u32.i32 i) (numbers n)

-- Extrema of floats, of which C compilers know nothing.
entry extrema (n: i64): (f32, f64, f32) =
  let fs = map (\x -> if x % 101 == 0 then f32.nan else f32.i32 (x - 500) / 3) (numbers n)
  in (f32.minimum fs, f64.maximum (map f64.f32 fs), reduce f32.max (-0.0) (map (\f -> if f > 0 then 0 else f) fs))

-- Loops that begin and end elsewhere.
entry ragged (n: i64): []i32 =
  map (\x -> loop a = 0 for k in x % 4..<x % 4 + x % 11 do a * 2 + k) (numbers n)

-- A histogram, of which the bins are found before any of them is counted.
entry binned (n: i64): []i32 =
  let rounds x = (loop (x, k) = (x, 0i64) while x > 0 do (x / 3, k + 1)).1
  in hist (+) 0 9 (map rounds (numbers n)) (replicate n 1)
