-- Floats that do not fit into an integer: the least number of 32 or 64 bits, of which the low bits are kept.
-- ==
-- entry: from_f32
-- input { 300f32 } output { 44i8 300i32 300i64 44u8 300u32 300u64 }
-- input { -1.5f32 } output { -1i8 -1i32 -1i64 255u8 4294967295u32 18446744073709551615u64 }
-- input { 3e9f32 } output { 0i8 -2147483648i32 3000000000i64 0u8 3000000000u32 3000000000u64 }
-- input { 1e30f32 } output { 0i8 -2147483648i32 -9223372036854775808i64 0u8 2147483648u32 9223372036854775808u64 }
-- input { -1e30f32 } output { 0i8 -2147483648i32 -9223372036854775808i64 0u8 2147483648u32 9223372036854775808u64 }
-- input { f32.inf } output { 0i8 0i32 0i64 0u8 0u32 0u64 }
-- input { f32.nan } output { 0i8 0i32 0i64 0u8 0u32 0u64 }

-- ==
-- entry: from_f64
-- input { 2147483647.5f64 } output { -1i8 2147483647i32 2147483647i64 255u8 2147483647u32 2147483647u64 }
-- input { -2147483648.5f64 } output { 0i8 -2147483648i32 -2147483648i64 0u8 2147483648u32 18446744071562067968u64 }
-- input { 4294967295.5f64 } output { 0i8 -2147483648i32 4294967295i64 255u8 4294967295u32 4294967295u64 }
-- input { 1e19f64 } output { 0i8 -2147483648i32 -9223372036854775808i64 0u8 2147483648u32 10000000000000000000u64 }

entry from_f32 (x: f32) = (i8.f32 x, i32.f32 x, i64.f32 x, u8.f32 x, u32.f32 x, u64.f32 x)
entry from_f64 (x: f64) = (i8.f64 x, i32.f64 x, i64.f64 x, u8.f64 x, u32.f64 x, u64.f64 x)

-- The same when the compiler knows the numbers.
-- ==
-- entry: folded
-- input { 0 } output { 0i8 -2147483648i32 3000000000u32 0i32 }
entry folded (_: i32) = (i8.f32 3e9, i32.f64 (-1e30), u32.f32 3e9, i32.f32 f32.inf)
