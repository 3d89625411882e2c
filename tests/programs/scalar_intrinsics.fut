-- The scalar functions of the compiler that the prelude declares but does not use are there, too.

-- ==
-- entry: rounded_up
-- input { -7i32 2i32 } output { -3i32 2147483645i32 }
-- input { 7i32 -2i32 } output { -2i32 1i32 }
-- input { 7i32 2i32 } output { 4i32 4i32 }
-- input { 6i32 2i32 } output { 3i32 3i32 }

entry rounded_up (x: i32) (y: i32) : (i32, i32) =
  (intrinsics.sdiv_up32 (x, y), intrinsics.udiv_up32 (x, y))

-- ==
-- entry: logic
-- input { true false } output { false true false false false 1i8 2f64 false false }
-- input { false true } output { false true false true true 3i8 4f64 true true }
-- input { true true } output { true true true false true 1i8 2f64 true false }

entry logic (a: bool) (b: bool) =
  ( intrinsics.logand (a, b)
  , intrinsics.logor (a, b)
  , intrinsics.eq_bool (a, b)
  , intrinsics.llt (a, b)
  , intrinsics.lle (a, b)
  , intrinsics.cond_i8 (a, 1, 3)
  , intrinsics.cond_f64 (a, 2, 4)
  , intrinsics.cond_bool (a, b, b)
  , intrinsics.neg_bool a
  )
