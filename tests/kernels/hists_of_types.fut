-- Histograms of all types of elements, by instructions and by exchanges, in shared and in global memory.
-- ==
-- entry: bytes
-- random input { 10i64 [20000]i32 [20000]i32 } auto output
-- random input { 30000i64 [20000]i32 [20000]i32 } auto output
-- entry: shorts
-- random input { 10i64 [20000]i32 [20000]i32 } auto output
-- random input { 30000i64 [20000]i32 [20000]i32 } auto output
-- entry: longs
-- random input { 10i64 [20000]i32 [20000]i64 } auto output
-- random input { 4000i64 [20000]i32 [20000]i64 } auto output
-- random input { 30000i64 [20000]i32 [20000]i64 } auto output
-- entry: floats
-- random input { 10i64 [20000]i32 [20000]i32 } auto output
-- random input { 30000i64 [20000]i32 [20000]i32 } auto output
-- entry: bools
-- random input { 10i64 [20000]i32 [20000]i32 } auto output
-- random input { 30000i64 [20000]i32 [20000]i32 } auto output
-- entry: pairs
-- random input { 10i64 [20000]i32 [20000]i32 } auto output
-- random input { 30000i64 [20000]i32 [20000]i32 } auto output

def at [n] (k: i64) (is: [n]i32): [n]i64 = map (\i -> i64.i32 i %% (k + 2) - 1) is

entry bytes [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let (js, as, bs) = (at k is, map i8.i32 xs, map u8.i32 xs)
  let apart a b = if i8.abs a < i8.abs b || (i8.abs a == i8.abs b && a < b) then b else a
  in (hist (+) 0 k js as, hist apart 0 k js as, hist (*) 1 k js (map (| 1) as), hist u8.max 0 k js bs)

entry shorts [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let (js, as, bs) = (at k is, map i16.i32 xs, map u16.i32 xs)
  let apart a b = if i16.abs a < i16.abs b || (i16.abs a == i16.abs b && a < b) then b else a
  in (hist i16.max i16.lowest k js as, hist apart 0 k js as, hist (^) 0 k js bs)

entry longs [n] (k: i64) (is: [n]i32) (xs: [n]i64) =
  let js = at k is
  let apart a b = if i64.abs a < i64.abs b || (i64.abs a == i64.abs b && a < b) then b else a
  in (hist (+) 0 k js xs, hist apart 0 k js xs, hist (*) 1 k js xs, hist (|) 0 k js (map u64.i64 xs))

-- Sums of small whole numbers do not depend on the order.
entry floats [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let js = at k is
  let small = map (\x -> x %% 100) xs
  in (hist (+) 0 k js (map f32.i32 small), hist (+) 0 k js (map f64.i32 small),
      hist f32.max (-f32.inf) k js (map f32.i32 xs),
      hist (+) 0 k js (map (\x -> f16.i32 (x %% 2)) xs) |> map (f16.min 2000))

entry bools [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let (js, odd) = (at k is, map (\x -> x % 2 != 0) xs)
  in (hist (&&) true k js odd, hist (||) false k js odd, hist (!=) false k js odd)

-- Several scalars in words of 32 and 64 bits, of which some are not integers.
entry pairs [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let js = at k is
  let ((a, b), (c, (d, e))) =
    (hist (\(a, b) (c, d) -> (i8.max a c, b || d)) (i8.lowest, false) k js (map (\x -> (i8.i32 x, x % 1000 == 7)) xs) |> unzip,
     hist (\(a, (b, p)) (c, (d, q)) -> if a < c || (a == c && d < b) then (c, (d, p || q)) else (a, (b, p || q)))
          (-f32.inf, (i16.highest, false)) k js
          (map (\x -> (f32.i32 (x / 65536), (i16.i32 (x / 3), x % 500 == 3))) xs)
     |> unzip |> (\(c, de) -> (c, unzip de)))
  in (a, b, c, d, e)
