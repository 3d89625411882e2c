-- The functions of analysis, at points where the results are known.
-- ==
-- entry: roots
-- input { 64.0 } output { [0.015625, 8.0, 0.125, 4.0] }

-- ==
-- entry: exponentials
-- input { }
-- output { [2.718281828459045, 1.0, 3.0, -2.0, 0.6931471805599453] }

-- ==
-- entry: angles
-- input { }
-- output { [1.0, -1.0, 1.0, 1.0, -1.0, 1.0] }

-- ==
-- entry: inverse_angles
-- input { }
-- output { [0.5, 1.0, 0.25, 0.5, 1.0, 0.25, 0.75, 0.75] }

-- ==
-- entry: hyperbolic
-- input { 0.5 } output { [0.5211, 1.1276, 0.4621, 0.5, 0.5, 0.5] }

-- ==
-- entry: special
-- input { }
-- output { [24.0, 3.1780538303479458, 0.8427007929497149, 0.15729920705028513] }

-- ==
-- entry: combined
-- input { }
-- output { [5.0, 2.5, 7.0, 7.0, 0.75, 48.0] }

-- ==
-- entry: half_and_single
-- input { 4f16 4f32 } output { 2f16 0.5f16 2f32 0.5f32 10f16 10f32 }

entry roots (x: f64) : []f64 = [f64.recip x, f64.sqrt x, f64.rsqrt x, f64.cbrt x]

entry exponentials : []f64 = [f64.exp 1, f64.log f64.e, f64.log2 8, f64.log10 0.01, f64.log1p 1]

entry angles : []f64 =
  [ f64.sin (f64.pi / 2), f64.cos f64.pi, f64.tan (f64.pi / 4), f64.sinpi 0.5, f64.cospi 1, f64.tanpi 0.25 ]

entry inverse_angles : []f64 =
  [ f64.asin 1 / f64.pi, f64.acos (-1) / f64.pi, f64.atan 1 / f64.pi, f64.asinpi 1, f64.acospi (-1), f64.atanpi 1
  , f64.atan2 1 (-1) / f64.pi, f64.atan2pi 1 (-1) ]

-- The first three are rounded to four places.
entry hyperbolic (x: f64) : []f64 =
  let places y = f64.round (y * 10000) / 10000
  in [ places (f64.sinh x), places (f64.cosh x), places (f64.tanh x)
     , f64.asinh (f64.sinh x), f64.acosh (f64.cosh x), f64.atanh (f64.tanh x) ]

entry special : []f64 = [f64.gamma 5, f64.lgamma 5, f64.erf 1, f64.erfc 1]

entry combined : []f64 =
  [f64.hypot 3 4, f64.lerp 1 4 0.5, f64.mad 2 3 1, f64.fma 2 3 1, f64.from_fraction 3 4, f64.ldexp 1.5 5]

entry half_and_single (x: f16) (y: f32) =
  (f16.sqrt x, f16.rsqrt x, f32.sqrt y, f32.rsqrt y, f16.fma x 2 2, f32.mad y 2 2)
