-- Sums of prefixes that are negative zeros, as the neutral element is: the sign is kept by one thread. (The totals of chunks are added to
-- zero, as vector reductions are, so that several threads yield a positive one.)
-- ==
-- random input { [1]i32 } auto output
-- random input { [128]i32 } auto output
-- random input { [257]i32 } auto output
-- random input { [1000]i32 } auto output

entry main (xs: []i32) = map f32.to_bits (scan (+) (f32.neg 0) (map (\x -> f32.neg (f32.i32 (x & 7) * 0)) xs))
