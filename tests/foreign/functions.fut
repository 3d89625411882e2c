-- Foreign functions of all kinds; functions.c has those for C, functions.cl those for kernels.

#[foreign(c(half), cuda(half_of), opencl(half_of))]
def half (x: f64) : f64 = x / 2

#[foreign(c(divided), cuda(divided), opencl(divided))]
def divided (x: i32) (y: {by: i32, up: bool}) : (i32, bool) =
  if y.by == 0 then (0, false) else (x / y.by + (if y.up then 1 else 0), true)

#[foreign(c(dot))]
def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

#[foreign(c(turned), vectorised(turned_all))]
def turned [n] [m] (k: i32) (xs: *[n][m](i32, u8)) : [m][n](i32, u8) =
  map (map (\(x, y) -> (x + k, y))) (transpose xs)

#[foreign(c(ramp))]
def ramp (n: i64) (x: i64) : [n]i64 = map (* x) (iota n)

-- ==
-- entry: scalars
-- input { [1.0, 3.0] 5i32 } output { [0.5, 1.5] 2.0 [5i32, 3i32, 0i32] [true, true, false] }
-- input { empty([0]f64) 0i32 } output { empty([0]f64) 0.0 [0i32, 1i32, 0i32] [true, true, false] }

-- In maps, in the function of a reduction, by the host.
entry scalars (xs: []f64) (y: i32) =
  let (zs, ok) = unzip (map (\i -> divided y {by = i32.i64 ((i + 1) % 3), up = i == 1}) (iota 3))
  in (map half xs, reduce (+) 0 (map half xs), zs, ok)

-- ==
-- entry: arrays
-- input { [[1f32, 2f32], [3f32, 4f32]] } output { [5f32, 25f32] 14f32 [0i64, 3i64, 6i64] }

-- In tasks, with slices that are not contiguous, with sizes that are equal or constant.
entry arrays [n] [m] (xss: [n][m]f32) =
  (map (\xs -> dot xs xs) xss, dot (map (.[0]) xss) (map (.[1]) xss), ramp 3 3)

-- ==
-- entry: vectorised
-- input { [[[1i32, 2i32]], [[3i32, 4i32]]] }
-- output { [[[2i32], [3i32]], [[5i32], [6i32]]] [[[7i32], [8i32]], [[9i32], [10i32]]] }

-- One call for all rows; and one for each, where the sizes allow no more.
entry vectorised [l] [n] [m] (xsss: [l][n][m]i32) =
  let zipped (k: i32) (xss: [n][m]i32) = turned k (map (map (\x -> (x, 1u8))) xss)
  let first = map2 (\k xss -> zipped (i32.i64 k + 1) xss) (iota l) xsss
  let second =
    loop acc = map transpose xsss for _i < 2i32 do
      map (\xss -> map (map (.0)) (zipped 3 (transpose xss))) acc
  in (map (map (map (.0))) first, second)

-- ==
-- entry: fails
-- input { 3i64 } output { [0i64, 2i64, 4i64] }

entry fails (n: i64) = ramp n 2

#[foreign(c(plus), cuda(plus), opencl(plus))]
def plus (x: i64) (y: i64) : i64 = x + y

def table = map (plus (i64.f32 (dot [1, 2] [1, 2]))) (iota 4)

-- ==
-- entry: operators
-- input { [1i64, 2i64, 3i64] }
-- output { 6i64 [1i64, 3i64, 6i64] [1i64, 5i64, 0i64] [5i64, 6i64, 7i64, 8i64] [0i64, 2i64, 6i64] }

-- As operators of reductions, scans and histograms; in constants, and in rows whose sizes differ.
entry operators [n] (xs: [n]i64) =
  ( reduce plus 0 xs
  , scan plus 0 xs
  , reduce_by_index (replicate 3 0) plus 0 (map (i64.min 1) (iota n)) xs
  , copy table
  , map (\x -> i64.sum (map (\i -> plus i i) (iota x))) xs
  )
