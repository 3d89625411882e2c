-- Concatenated results of different sizes, with empty pieces first, between and last.
-- ==
-- entry: counts
-- input { [2i64, 0i64, 3i64] }
-- output { [2i64, 0i64, 3i64] [true, false, true, false, false] [0i64, 2i64, 2i64]
--          [0i64, 1i64, 0i64, 1i64, 2i64] [4i64, 0i64, 6i64] }
-- input { [0i64, 1i64, 0i64] }
-- output { [0i64, 1i64, 0i64] [true] [0i64, 0i64, 1i64] [0i64] [0i64, 2i64, 0i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) empty([0]i64) }

-- ==
-- entry: copies
-- input { [2i64, 0i64, 3i64] }
-- output { [2i64, 0i64, 3i64] [true, false, true, false, false] [0i64, 2i64, 2i64]
--          [2i64, 2i64, 3i64, 3i64, 3i64] }

entry counts [n] (ks: [n]i64) : ([n]i64, []bool, [n]i64, []i64, [n]i64) =
  let (sizes, flags, offsets, values, doubles) = flatmap (\(k, x) -> (iota k, x)) (zip ks (map (* 2) ks))
  in (sizes, flags, offsets, values, doubles)

entry copies [n] (ks: [n]i64) : ([n]i64, []bool, [n]i64, []i64) =
  let (sizes, flags, offsets, values) = flatmap' (\(k, x) -> replicate k x) (zip ks ks)
  in (sizes, flags, offsets, values)
