-- Floats: arithmetic, comparison with NaN, rounding, limits, folds.
-- ==
-- entry: arithmetic
-- input { 7.5 2.0 } output { [9.5, 5.5, 15.0, 3.75, 1.5, 56.25, -7.5, 7.5, 1.0, 7.5, 2.0] }
-- input { -7.5 2.0 } output { [-5.5, -9.5, -15.0, -3.75, 1.5, 56.25, 7.5, 7.5, -1.0, 2.0, -7.5] }

-- ==
-- entry: comparisons
-- input { 1.0f32 2.0f32 } output { [false, true, false, true, false, true] }
-- input { 2.0f32 2.0f32 } output { [true, false, false, true, true, false] }
-- input { f32.nan f32.nan } output { [false, false, false, false, false, true] }

-- ==
-- entry: nan_loses
-- input { f32.nan 2.0f32 } output { 2f32 2f32 }
-- input { 2.0f32 f32.nan } output { 2f32 2f32 }

-- ==
-- entry: rounding
-- input { [2.5, -2.5, 3.5, 0.5, -0.5, 2.75] }
-- output { [3.0, -2.0, 4.0, 1.0, 0.0, 3.0] [2.0, -3.0, 3.0, 0.0, -1.0, 2.0]
--          [2.0, -2.0, 3.0, 0.0, 0.0, 2.0] [2.0, -2.0, 4.0, 0.0, 0.0, 3.0] }

-- ==
-- entry: truncating_far
-- input { 3e20f32 -1e300 60000f16 }
-- output { 3e20f32 -1e300 60000f16 f32.inf -f64.inf true true }

-- ==
-- entry: special
-- input { }
-- output { [true, false, true, false, false, true, true] }

-- ==
-- entry: constants
-- input { }
-- output { 3.1415927f32 2.7182817f32 3.141592653589793 2.718281828459045 }

-- ==
-- entry: epsilons
-- input { }
-- output { true true true }

-- ==
-- entry: folds
-- input { [1.5f32, -2.0f32, 4.0f32] } output { 3.5f32 -12f32 4f32 -2f32 }
-- input { empty([0]f32) } output { 0f32 1f32 -f32.inf f32.inf }

entry arithmetic (x: f64) (y: f64) : []f64 =
  [ x f64.+ y, x f64.- y, x f64.* y, x f64./ y, f64.abs x f64.% y, x f64.** y
  , f64.neg x, f64.abs x, f64.sgn x, f64.max x y, f64.min x y ]

entry comparisons (x: f32) (y: f32) : []bool =
  [x f32.== y, x f32.< y, x f32.> y, x f32.<= y, x f32.>= y, x f32.!= y]

entry nan_loses (x: f32) (y: f32) : (f32, f32) = (f32.max x y, f32.min x y)

entry rounding [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64, [n]f64) =
  (map f64.ceil xs, map f64.floor xs, map f64.trunc xs, map f64.round xs)

-- Beyond the range of the integers of the same width.
entry truncating_far (x: f32) (y: f64) (z: f16) =
  ( f32.trunc x, f64.trunc y, f16.trunc z, f32.trunc f32.inf, f64.trunc (-f64.inf), f32.isnan (f32.trunc f32.nan)
  , f32.to_bits (f32.trunc (-0.5)) == 0x80000000 )

entry special : []bool =
  [ f32.isnan f32.nan, f32.isnan f32.inf, f64.isinf f64.inf, f64.isinf f64.nan, f16.isinf 65504
  , f16.isinf f16.highest, f64.lowest f64.== f64.neg f64.inf ]

entry constants = (f32.pi, f32.e, f64.pi, f64.e)

entry epsilons =
  ( 1 + f16.epsilon > 1 && 1 + f16.epsilon / 2 == 1
  , 1 + f32.epsilon > 1 && 1 + f32.epsilon / 2 == 1
  , 1 + f64.epsilon > 1 && 1 + f64.epsilon / 2 == 1
  )

entry folds (xs: []f32) : (f32, f32, f32, f32) = (f32.sum xs, f32.product xs, f32.maximum xs, f32.minimum xs)
