-- Values without contents are not written, neither as arguments nor in results.
-- ==
-- input { 1.5f32 } output { 1.5f32 }

entry main (x: f32) (_: ()) = (x, (), replicate 10 ())
