-- Sums of prefixes in blocks: sizes around those of blocks, all types, and what is done before and after.
-- ==
-- entry: f32s f64s i32s u32s i64s u64s before after both narrow product
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [127]i32 } auto output
-- random input { [128]i32 } auto output
-- random input { [255]i32 } auto output
-- random input { [256]i32 } auto output
-- random input { [257]i32 } auto output
-- random input { [1000]i32 } auto output
-- random input { [70001]i32 } auto output

def small (x: i32): i32 = x % 100

entry f32s (xs: []i32) = scan (+) 0 (map (small >-> f32.i32) xs)
entry f64s (xs: []i32) = scan (+) 0 (map (small >-> f64.i32) xs)
entry i32s (xs: []i32) = scan (+) 0 xs
entry u32s (xs: []i32) = scan (+) 0 (map u32.i32 xs)
entry i64s (xs: []i32) = scan (+) 0 (map i64.i32 xs)
entry u64s (xs: []i32) = scan (+) 0 (map u64.i32 xs)

-- Elements that need others, and two results of one map.
entry before [n] (xs: [n]i32) =
  let (a, b) = unzip (map (\i -> (xs[i] - xs[n - 1 - i], xs[i] & 7)) (iota n))
  in (scan (+) 0 a, b)

entry after (xs: []i32) = map2 (\s x -> s - x) (scan (+) 0 xs) xs

-- The sums are read by others, too.
entry both (xs: []i32) =
  let sums = scan (+) 0 (map small xs)
  in (sums, map (% 10) sums, i32.sum sums)

entry narrow (xs: []i32) = scan (+) 0 (map i16.i32 xs)
entry product (xs: []i32) = scan (*) 1 (map (| 1) xs)
