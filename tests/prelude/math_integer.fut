-- Integer arithmetic through the modules.
-- ==
-- entry: division
-- input { 7 2 } output { 3 1 3 1 }
-- input { -7 2 } output { -4 1 -3 -1 }
-- input { 7 -2 } output { -4 -1 -3 1 }
-- input { -7 -2 } output { 3 -1 3 -1 }
-- input { 7 0 } error: .*

-- ==
-- entry: wrapping
-- input { 127i8 1i8 } output { -128i8 126i8 127i8 127i8 -127i8 127i8 1i8 }
-- input { -128i8 -1i8 } output { 127i8 -127i8 -128i8 -1i8 -128i8 -128i8 -1i8 }

-- ==
-- entry: wrapping_unsigned
-- input { 200u8 100u8 } output { 44u8 100u8 32u8 200u8 56u8 200u8 1u8 }
-- input { 0u8 1u8 } output { 1u8 255u8 0u8 1u8 0u8 0u8 0u8 }

-- ==
-- entry: powers
-- input { 3 4 } output { 81 81u8 }
-- input { 5 6 } output { 15625 9u8 }
-- input { 0 0 } output { 1 1u8 }
-- input { 3 -1 } error: .*

-- ==
-- entry: comparisons
-- input { -1 1 } output { [false, true, false, true, false, true] [false, false, true, false, true, true] }
-- input { 2 2 } output { [true, false, false, true, true, false] [true, false, false, true, true, false] }

-- ==
-- entry: limits
-- input { }
-- output { -128i8 127i8 -32768i16 32767i16 -2147483648i32 2147483647i32
--          -9223372036854775808i64 9223372036854775807i64 }

-- ==
-- entry: limits_unsigned
-- input { }
-- output { [0u64, 255u64, 0u64, 65535u64, 0u64, 4294967295u64, 0u64, 18446744073709551615u64] }

-- ==
-- entry: folds
-- input { [3, -5, 4] } output { 2 -60 4 -5 }
-- input { empty([0]i32) } output { 0 1 -2147483648 2147483647 }

-- ==
-- entry: folds_unsigned
-- input { [200u8, 100u8] } output { 44u8 32u8 200u8 100u8 }
-- input { empty([0]u8) } output { 0u8 1u8 0u8 255u8 }

entry division (x: i32) (y: i32) : (i32, i32, i32, i32) = (x i32./ y, x i32.% y, x i32.// y, x i32.%% y)

entry wrapping (x: i8) (y: i8) = (x i8.+ y, x i8.- y, x i8.* y, i8.max x y, i8.neg x, i8.abs x, i8.sgn x)

entry wrapping_unsigned (x: u8) (y: u8) =
  (x u8.+ y, x u8.- y, x u8.* y, u8.max x y, u8.neg x, u8.abs x, u8.sgn x)

entry powers (x: i32) (y: i32) : (i32, u8) = (x i32.** y, u8.i32 x u8.** u8.i32 y)

entry comparisons (x: i32) (y: i32) : ([]bool, []bool) =
  let (a, b) = (u32.i32 x, u32.i32 y)
  in ( [x i32.== y, x i32.< y, x i32.> y, x i32.<= y, x i32.>= y, x i32.!= y]
     , [a u32.== b, a u32.< b, a u32.> b, a u32.<= b, a u32.>= b, a u32.!= b]
     )

entry limits =
  (i8.lowest, i8.highest, i16.lowest, i16.highest, i32.lowest, i32.highest, i64.lowest, i64.highest)

entry limits_unsigned =
  [ u64.u8 u8.lowest, u64.u8 u8.highest, u64.u16 u16.lowest, u64.u16 u16.highest
  , u64.u32 u32.lowest, u64.u32 u32.highest, u64.lowest, u64.highest ]

entry folds (xs: []i32) : (i32, i32, i32, i32) = (i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs)

entry folds_unsigned (xs: []u8) : (u8, u8, u8, u8) = (u8.sum xs, u8.product xs, u8.maximum xs, u8.minimum xs)
