-- Functions that get functions: when they call themselves, and when they are called again and again.

def iterate 'a (n: i64) (f: a -> a) (x: a) : a =
  if n == 0 then x else iterate (n - 1) f (f x)

-- ==
-- entry: doubled
-- input { 3i64 [1, 2] } output { [8, 16] }
-- input { 0i64 [5] } output { [5] }

entry doubled [n] (k: i64) (xs: [n]i32) : [n]i32 = iterate k (map (* 2)) xs

-- The function captures an argument and an array.
-- ==
-- entry: captured
-- input { 3i64 10 [1, 2, 3] } output { 36 }
-- input { 2i64 0 [7] } output { 30 }

entry captured [n] (times: i64) (k: i32) (xs: [n]i32) : i32 =
  iterate times (\x -> x + k + xs[times % n] * i32.bool (k == 0) + xs[0] + xs[0] / xs[0]) 0
  + i32.i64 0 * xs[0]

-- The function that calls itself does so inside of functions that are called twice.
-- ==
-- entry: tree
-- input { 0i64 2i64 } output { 2i64 }
-- input { 1i64 2i64 } output { 9i64 }
-- input { 3i64 1i64 } output { 29i64 }

def grow (g: i64 -> i64) (n: i64) : i64 =
  let both (f: i64 -> i64) (x: i64): i64 = f x + f (x + 1)
  in if n <= 0
     then g 0
     else both (\i ->
                  let a = grow g (n - 1)
                  let b = g i
                  let c = loop c = 0 for j < i do c + j * 0
                  let d = if i > 100 then 1 else 0
                  let e = if i < -100 then 1 else 0
                  in a + b + c + d + e + i - i)
               0

entry tree (n: i64) (k: i64) : i64 = grow (\x -> x + k) n

-- ==
-- entry: three_times
-- input { [1, 2, 3] 5 } output { 153 163 167 }

entry three_times [n] (xs: [n]i32) (k: i32) : (i32, i32, i32) =
  let f (i: i64) =
    loop acc = k for j < n do
      acc * 3 + xs[(i + j) % n]
  in (f 0 , f 1, f 2)

-- A local function consumes its argument.
-- ==
-- entry: consuming
-- input { [1, 2, 3] 5 } output { [11, 22, 33] }

entry consuming [n] (xs: [n]i32) (k: i32) : [n]i32 =
  let put (ys: *[n]i32) (i: i64): *[n]i32 =
    let old = ys[i]
    let new = if old > 0 then old + 2 * k else k
    let more = if i > 0 then 10 * i32.i64 i else 0
    let all = new + more
    in ys with [i] = all
  in put (put (put (copy xs) 0) 1) 2

-- Results whose size nobody knows before.
-- ==
-- entry: filtered
-- input { [5, 1, 9, 3, 7, 2] } output { [9] 3i64 }

entry filtered (xs: []i32) : ([]i32, i64) =
  let above (ys: []i32) =
    let mean = if length ys == 0 then 0 else i32.sum ys / i32.i64 (length ys)
    in filter (> mean) ys
  let zs = above xs
  in (above zs, length zs + 0 * length (above (above zs)))

-- In place this would be 4096 additions.
-- ==
-- entry: many
-- input { 1 } output { 4097 }

def twice 'a (f: a -> a) (x: a) : a = f (f x)

entry many (x: i32) : i32 =
  twice (twice (twice (twice (twice (twice (twice (twice (twice (twice (twice (twice (+ 1)))))))))))) x
