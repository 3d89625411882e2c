-- Bits of integers: logic, shifts, counts, single bits, high products.
-- ==
-- entry: logic
-- input { 0b1100u8 0b1010u8 } output { 0b1000u8 0b1110u8 0b0110u8 0b11110011u8 }

-- ==
-- entry: shifts
-- input { -8i8 1i8 } output { -16i8 -4i8 124i8 }
-- input { 127i8 2i8 } output { -4i8 31i8 31i8 }

-- ==
-- entry: shifts_unsigned
-- input { 200u8 1u8 } output { 144u8 228u8 100u8 100u8 }
-- input { 100u8 1u8 } output { 200u8 50u8 50u8 50u8 }

-- ==
-- entry: counts
-- input { 0b00101000u8 } output { [2, 2, 3] [2, 10, 3] [2, 26, 3] [2, 58, 3] }
-- input { 0u8 } output { [0, 8, 8] [0, 16, 16] [0, 32, 32] [0, 64, 64] }

-- ==
-- entry: counts_negative
-- input { }
-- output { [8, 0, 0] [16, 0, 0] [32, 0, 0] [64, 0, 0] }

-- ==
-- entry: widths
-- input { }
-- output { [8, 16, 32, 64, 8, 16, 32, 64] }

-- ==
-- entry: single_i8
-- input { 7 -128i8 } output { 1 0i8 -128i8 }
-- input { 0 -128i8 } output { 0 -128i8 -127i8 }

-- ==
-- entry: single_u64
-- input { 63 9223372036854775813u64 } output { 1 5u64 9223372036854775813u64 }
-- input { 1 9223372036854775813u64 } output { 0 9223372036854775813u64 9223372036854775815u64 }

-- ==
-- entry: high_products
-- input { -128i8 127i8 } output { -64i8 -63i8 63u8 64u8 }
-- input { -1i8 -1i8 } output { 0i8 1i8 254u8 255u8 }

-- ==
-- entry: high_products_wide
-- input { 9223372036854775807i64 4i64 } output { 1i64 6i64 1u64 6u64 }
-- input { -9223372036854775808i64 4i64 } output { -2i64 3i64 2u64 7u64 }

entry logic (x: u8) (y: u8) : (u8, u8, u8, u8) = (x u8.& y, x u8.| y, x u8.^ y, u8.not x)

entry shifts (x: i8) (n: i8) : (i8, i8, i8) = (x i8.<< n, x i8.>> n, x i8.>>> n)

-- The last one is the plain operator, which differs from that of the module.
entry shifts_unsigned (x: u8) (n: u8) : (u8, u8, u8, u8) = (x u8.<< n, x u8.>> n, x u8.>>> n, x >> n)

entry counts (x: u8) : ([3]i32, [3]i32, [3]i32, [3]i32) =
  ( [u8.popc x, u8.clz x, u8.ctz x]
  , let y = i16.u8 x in [i16.popc y, i16.clz y, i16.ctz y]
  , let y = u32.u8 x in [u32.popc y, u32.clz y, u32.ctz y]
  , let y = i64.u8 x in [i64.popc y, i64.clz y, i64.ctz y]
  )

entry counts_negative : ([3]i32, [3]i32, [3]i32, [3]i32) =
  ( [i8.popc (-1), i8.clz (-1), i8.ctz (-1)]
  , [u16.popc 65535, u16.clz 65535, u16.ctz 65535]
  , [i32.popc (-1), i32.clz (-1), i32.ctz (-1)]
  , [u64.popc u64.highest, u64.clz u64.highest, u64.ctz u64.highest]
  )

entry widths : []i32 =
  [ i8.num_bits, i16.num_bits, i32.num_bits, i64.num_bits
  , u8.num_bits, u16.num_bits, u32.num_bits, u64.num_bits ]

entry single_i8 (i: i32) (x: i8) : (i32, i8, i8) = (i8.get_bit i x, i8.set_bit i x 0, i8.set_bit i x 1)

entry single_u64 (i: i32) (x: u64) : (i32, u64, u64) = (u64.get_bit i x, u64.set_bit i x 0, u64.set_bit i x 1)

entry high_products (x: i8) (y: i8) : (i8, i8, u8, u8) =
  let (a, b) = (u8.i8 x, u8.i8 y)
  in (i8.mul_hi x y, i8.mad_hi x y 1, u8.mul_hi a b, u8.mad_hi a b 1)

entry high_products_wide (x: i64) (y: i64) : (i64, i64, u64, u64) =
  let (a, b) = (u64.i64 x, u64.i64 y)
  in (i64.mul_hi x y, i64.mad_hi x y 5, u64.mul_hi a b, u64.mad_hi a b 5)
