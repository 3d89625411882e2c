-- Histograms whose bins and values are computed ahead, a block at a time: sizes around those of blocks, bins that do not exist, and
-- all that can be held between the two loops.
-- ==
-- entry: roots steps two plane shared loaded nearest checked
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [127]i32 } auto output
-- random input { [128]i32 } auto output
-- random input { [129]i32 } auto output
-- random input { [1000]i32 } auto output
-- random input { [70001]i32 } auto output

def positive (x: i32): i32 = x & 0xffff

-- Some of the roots are beyond the last bin.
entry roots [n] (xs: [n]i32) =
  hist (+) 0i32 200 (map (\x -> i64.f64 (f64.sqrt (f64.i32 (positive x))) - 10) xs) (replicate n 1)

-- As many rounds as a number likes.
entry steps [n] (xs: [n]i32) =
  let count x = (loop (x, k) = (positive x + 1, 0i32) while x > 1 do if x % 2 == 0 then (x / 2, k + 1) else (x - 1, k + 1)).1
  in hist i32.max i32.lowest 20 (map (count >-> i64.i32) xs) (map positive xs)

-- Two histograms of one function.
entry two [n] (xs: [n]i32) =
  let (a, b) = unzip (map (\x -> let r = f32.i32 (positive x) / 3 in (i64.f32 r % 10, i64.f32 (r * 2) % 17)) xs)
  in (hist (+) 0i32 10 a (replicate n 1), hist (+) 0 17 b xs)

-- Bins with two coordinates.
entry plane (xs: []i32) =
  let at x = (i64.f32 (f32.sqrt (f32.i32 (positive x & 255))), i64.f64 (f64.i32 (positive x) / 10000))
  in reduce_by_index_2d (replicate 13 (replicate 7 0i32)) (+) 0 (map at xs) (map (\x -> x & 3) xs)

-- The bin is the value, too.
entry shared (xs: []i32) =
  let bins = map (\x -> i64.f64 (f64.i32 (positive x) / 1000)) xs
  in hist (+) 0i64 50 bins bins

-- What is loaded, and what is the same for all, next to what is computed.
entry loaded [n] (xs: [n]i32) =
  let k = i64.f64 (f64.i64 n / 7)
  in hist (\(a, b, c) (d, e, f) -> (a + d, i64.max b e, c + f)) (0i32, 0i64, 0i64) 9
       (map (\x -> i64.f32 (f32.sqrt (f32.i32 (positive x))) % 9) xs) (map (\x -> (x, k, 2)) xs)

-- All positions read the same in a loop.
entry nearest [n] (xs: [n]i32) =
  let centres = map (\x -> positive x * 3) (take (i64.min n 5) xs)
  let closer p (best, least) (i, c) = let d = i32.abs (c - positive p) in if least < d then (best, least) else (i, d)
  in hist (+) 0i32 5 (map (\p -> (foldl (closer p) (0, i32.highest) (zip (indices centres) centres)).0) xs) xs

-- A function that may fail stays where it is.
entry checked [n] (xs: [n]i32) =
  let at x = i64.min (i64.f32 (f32.sqrt (f32.i32 (positive x)))) (n - 1)
  in hist (+) 0i32 (n + 1) (map (\x -> i64.i32 (xs[at x] & 15)) xs) (replicate n 1)
