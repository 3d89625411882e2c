-- An operand whose size may be negative is checked before the others are written to the result.
-- ==
-- input { empty([0]f32) } error: Index \[1:2:-1\] out of bounds for array of shape \[0\]
-- input { [1f32, 2f32, 3f32] } error: Index \[1:2:-1\] out of bounds for array of shape \[0\]
-- random input { [300]f32 } error: Index \[1:2:-1\] out of bounds for array of shape \[0\]

entry main [n] (_: [n]f32) : []i64 = (replicate n 0)[0::3] ++ [][1:2:-1]

-- ==
-- entry: valid
-- input { [1f32, 2f32, 3f32, 4f32] } output { [0i64, 0i64, 7i64, 7i64] }

entry valid [n] (_: [n]f32) : []i64 = (replicate n 0)[0::3] ++ (replicate n 7)[1:3]
