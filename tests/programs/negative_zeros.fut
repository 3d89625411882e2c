-- A sum begins with the neutral element that the program says: with -0.0, negative zeros stay negative, however many
-- threads and lanes there are. The bits are compared, because the numbers are equal.
-- ==
-- entry: sums
-- input { 0i64 } output { 0x8000000000000000u64 0x80000000u32 0u64 }
-- input { 3i64 } output { 0x8000000000000000u64 0x80000000u32 0u64 }
-- input { 100003i64 } output { 0x8000000000000000u64 0x80000000u32 0u64 }
entry sums (n: i64) =
  let xs = tabulate n (\i -> -0.0 * f64.i64 i)
  in ( f64.to_bits (reduce (+) (-0.0) xs)
     , f32.to_bits (reduce_comm (+) (-0.0) (map f32.f64 xs))
     , f64.to_bits (f64.sum xs)
     )

-- The neutral element may be known only at run time.
-- ==
-- entry: begun
-- input { -0f32 100003i64 } output { 0x80000000u32 }
-- input { 0f32 100003i64 } output { 0u32 }
entry begun (zero: f32) (n: i64) =
  f32.to_bits (reduce (+) zero (replicate n (-0f32)))

-- ==
-- entry: dots
-- input { 1003i64 } output { 0x80000000u32 true }
entry dots (n: i64) =
  let xs = map f32.i64 (iota n)
  let dot = \ys -> reduce (+) (-0.0) (map2 (*) xs ys)
  let rows = map dot (replicate 40 (replicate n (-0.0)))
  in ( f32.to_bits (dot (replicate n (-0.0)))
     , all (\x -> f32.to_bits x == 0x80000000) rows
     )

-- ==
-- entry: rows
-- input { 40i64 } output { true true true true }
entry rows (n: i64) =
  let xss = tabulate_2d n n (\_ _ -> -0.0f64)
  let negative x = f64.to_bits x == 0x8000000000000000
  let (as, bs) =
    unzip (map (\xs -> reduce (\(a, b) (c, d) -> (a + c, b + d)) (-0.0, -0.0) (zip xs xs)) xss)
  in ( all negative (map (reduce (+) (-0.0)) xss)
     , all negative as && all negative bs
     , all negative (scan (+) (-0.0) (flatten xss))
     , all negative (hist (+) (-0.0) 3 (map (% 3) (iota (n * n))) (flatten xss))
     )
