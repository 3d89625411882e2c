-- Conversions. Narrowing cuts; widening extends by the sign only between signed types.
-- ==
-- entry: from_i8
-- input { -2i8 } output { -2i16 -2i64 254u8 254u16 254u64 -2f16 -2f32 -2f64 true }

-- ==
-- entry: from_u8
-- input { 254u8 } output { -2i8 254i16 254i64 254u16 254u64 254f16 254f32 254f64 true }
-- input { 0u8 } output { 0i8 0i16 0i64 0u16 0u64 0f16 0f32 0f64 false }

-- ==
-- entry: from_i32
-- input { -2i32 } output { -2i8 -2i64 65534u16 4294967294u32 4294967294u64 -2f32 }
-- input { 196735i32 } output { 127i8 196735i64 127u16 196735u32 196735u64 196735f32 }

-- ==
-- entry: from_u64
-- input { 18446744073709551615u64 } output { -1i8 -1i32 -1i64 255u8 4294967295u32 18446744073709551616f64 true }

-- ==
-- entry: from_f64
-- input { -2.75 } output { -2i8 -2i32 -2i64 -2.75f32 true }
-- input { 200.75 } output { -56i8 200i32 200i64 200.75f32 true }

-- ==
-- entry: from_f32_unsigned
-- input { 3.99f32 } output { 3u8 3u16 3u32 3u64 }

-- ==
-- entry: from_bool
-- input { true } output { 1i8 1u16 1i64 1f32 true }
-- input { false } output { 0i8 0u16 0i64 0f32 false }

-- ==
-- entry: to_i64
-- input { -1i8 255u8 4294967295u32 -7.9 } output { -1i64 255i64 4294967295i64 -7i64 }

-- ==
-- entry: short_names
-- input { 7 -7.5f32 7.5 } output { 7f32 -7 7.0 7 }

entry from_i8 (x: i8) =
  (i16.i8 x, i64.i8 x, u8.i8 x, u16.i8 x, u64.i8 x, f16.i8 x, f32.i8 x, f64.i8 x, bool.i8 x)

entry from_u8 (x: u8) =
  (i8.u8 x, i16.u8 x, i64.u8 x, u16.u8 x, u64.u8 x, f16.u8 x, f32.u8 x, f64.u8 x, bool.u8 x)

entry from_i32 (x: i32) = (i8.i32 x, i64.i32 x, u16.i32 x, u32.i32 x, u64.i32 x, f32.i32 x)

entry from_u64 (x: u64) = (i8.u64 x, i32.u64 x, i64.u64 x, u8.u64 x, u32.u64 x, f64.u64 x, bool.u64 x)

-- The i8 goes by i32, as a float out of range has no specified value.
entry from_f64 (x: f64) = (i8.i32 (i32.f64 x), i32.f64 x, i64.f64 x, f32.f64 x, bool.f64 x)

entry from_f32_unsigned (x: f32) = (u8.f32 x, u16.f32 x, u32.f32 x, u64.f32 x)

entry from_bool (x: bool) = (i8.bool x, u16.bool x, i64.bool x, f32.bool x, bool.bool x)

entry to_i64 (a: i8) (b: u8) (c: u32) (d: f64) = (i8.to_i64 a, u8.to_i64 b, u32.to_i64 c, f64.to_i64 d)

entry short_names (i: i32) (x: f32) (y: f64) : (f32, i32, f64, i32) = (r32 i, t32 x, r64 i, t64 y)
