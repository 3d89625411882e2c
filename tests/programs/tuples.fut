-- A tuple is as many values as it has components.
-- ==
-- input { 7 2 } output { 3 1 }
-- input { -7 2 } output { -4 1 }

entry main (x: i32) (y: i32) : (i32, i32) = (x / y, x % y)

-- ==
-- entry: split_at
-- input { 1i64 [1u8, 2u8, 3u8] } output { [1u8] [2u8, 3u8] }
-- input { 0i64 [1u8] } output { empty([0]u8) [1u8] }

entry split_at [n] (i: i64) (xs: [n]u8) : ([]u8, []u8) = (xs[:i], xs[i:])
