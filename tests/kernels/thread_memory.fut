-- What threads allocate: where the host can know it, and where it must not believe that it does.
-- ==
-- entry: grows
-- input { 5i64 [1i64, 2i64] } output { [49i64, 73i64] }
-- input { 0i64 [1i64, 2i64] } output { [0i64, 0i64] }
-- entry: idle
-- input { 0i64 1000000000000i64 [1i64, 2i64] } output { [1i64, 2i64] }
-- input { -1i64 9223372036854775807i64 [1i64, 2i64] } output { [1i64, 2i64] }
-- input { 2i64 3i64 [1i64, 2i64] } output { [31i64, 52i64] }
-- entry: beside
-- input { [1u8, 2u8, 3u8] 2i64 [1i64, -2i64] } output { [6i64, -14i64] }
-- entry: besides
-- input { 0i64 [1u8, 2u8, 3u8] 2i64 [1i64, -2i64] } output { [6i64, -9i64] }
-- input { 2i64 [1u8, 2u8, 3u8] 2i64 [1i64, -2i64] } output { [38i64, -13i64] }
-- entry: seldom
-- input { 2i64 5i64 [1i64, 2i64] } output { [9i64, 14i64] }

-- ==
-- entry: rows
-- input { 2i64 [1u8, 2u8, 3u8] [1i64, 2i64] } output { [26i64, 38i64] }
-- entry: both
-- input { [1u8, 2u8, 3u8] [1i64, 2i64] } output { [20i64, 30i64] }
-- entry: appended
-- input { [1u8, 2u8, 3u8] 4i64 [1i64, 2i64] } output { [160i64, 306i64] }
-- entry: checked
-- input { [1u8, 2u8, 3u8] 3i64 [1i64, 2i64] } output { [38i64, 48i64] }
-- input { [1u8, 2u8, 3u8] 9223372036854775807i64 [1i64, 2i64] } error: out of bounds

-- Something with an array of this size that is not fused away.
def work (k: i64) (x: i64): i64 =
  let xs = scan (+) 0 (tabulate k (\j -> j + x))
  let ys = scatter (replicate k 0) (map (\j -> k - 1 - j) (iota k)) xs
  in ys[k / 2] + ys[0]

entry grows [m] (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> loop s = 0 for i < n do s + work (i + 1) x) xs

-- Loops without iterations.
entry idle [m] (l: i64) (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> loop t = x for _j < l do
               loop s = t for i < n do s + work (i + 1) x) xs

-- A branch that hardly anybody takes, with an array of known size.
entry beside [m] [k] (_: [k]u8) (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> let t = if x < 0 then work (k + 1) x else 0
             in loop s = t for i < n do s + work (i + 1) x) xs

-- A loop without iterations, with such an array.
entry besides [m] [k] (l: i64) (_: [k]u8) (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> let t = loop t = 0 for j < l do t + work (k + 1) (x + j)
             in loop s = t for i < n do s + work (i + 1) x) xs

-- Most iterations make nothing.
entry seldom [m] (l: i64) (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> loop s = 0 for i < n do
               if i < l then s + work (i + 1) x else s + 1) xs

-- Several dimensions.
entry rows [m] [k] (n: i64) (_: [k]u8) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> loop s = 0 for i < n do
               let xss = map (scan (+) 0) (tabulate_2d (i + 1) k (\a b -> a + b + x))
               in s + i64.sum (map (\ys -> i64.maximum ys) (transpose xss))) xs

-- The product is largest in the middle.
entry both [m] [k] (_: [k]u8) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> loop s = 0 for i < k do
               let xss = map (scan (+) 0) (tabulate_2d (i + 1) (k - i) (\a b -> a + b + x))
               in s + i64.sum (map (\ys -> i64.maximum ys) (transpose xss))) xs

-- A large array at first, which grows.
entry appended [m] [k] (_: [k]u8) (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> let zs = loop ys = replicate k x for i < n do scan (+) 0 ys ++ [i]
             in reduce (+) (length zs) zs) xs

-- Not all iterations happen.
entry checked [m] [k] (zs: [k]u8) (n: i64) (xs: [m]i64): [m]i64 =
  #[incremental_flattening(only_outer)]
  map (\x -> loop s = 0 for i < n do s + work (i + 1) (x + i64.u8 zs[i])) xs

-- ==
-- entry: too_much
-- input { 2i64 72057594037927936i64 [0i64, 1i64, 2i64] } error: memory|large
-- input { 2i64 144115188075855872i64 [0i64, 1i64, 2i64] } error: memory|large

-- The bytes of all threads of a block are more than a number of 64 bits says.
entry too_much (m: i64) (n: i64) (is: []i64) =
  #[incremental_flattening(only_outer)]
  map (\x ->
         let a = loop a = replicate n x for j < length is do a with [is[j]] = a[is[(j + 1) % 3]] + j
         in a[x] + a[is[0]])
      (iota m)
