-- The representation of floats.
-- ==
-- entry: bits
-- input { }
-- output { 0x3c00u16 0xc0200000u32 0x7ff0000000000000u64 -2f16 1.5f32 -1f64 }

-- ==
-- entry: single_bits
-- input { 1f32 } output { 0 1 -1f32 1f32 1.5f32 }

-- ==
-- entry: single_bits_wide
-- input { -1.0 } output { 1 1 1.0 -1.5 }

-- ==
-- entry: neighbours
-- input { }
-- output { 1.0000001f32 0.99999994f32 true true }

-- ==
-- entry: signs
-- input { }
-- output { -3f32 3f32 -3.0 [16, 32, 64] }

entry bits =
  ( f16.to_bits 1, f32.to_bits (-2.5), f64.to_bits f64.inf
  , f16.from_bits 0xc000, f32.from_bits 0x3fc00000, f64.from_bits 0xbff0000000000000 )

entry single_bits (x: f32) =
  (f32.get_bit 31 x, f32.get_bit 23 x, f32.set_bit 31 x 1, f32.set_bit 31 x 0, f32.set_bit 22 x 1)

entry single_bits_wide (x: f64) = (f64.get_bit 63 x, f64.get_bit 52 x, f64.set_bit 63 x 0, f64.set_bit 51 x 1)

entry neighbours =
  ( f32.nextafter 1 2, f32.nextafter 1 0, f64.nextafter 0 1 f64.> 0
  , f64.isinf (f64.nextafter 1.7976931348623157e308 f64.inf) )

entry signs =
  ( f32.copysign 3 (-0.0), f32.copysign (-3) 1, f64.copysign 3 (-5)
  , [f16.num_bits, f32.num_bits, f64.num_bits] )
