-- Sequential folds and the reductions over truth values.
-- ==
-- entry: folds
-- input { [1, 2, 3] } output { -6 2 123 321 }
-- input { empty([0]i32) } output { 0 0 0 0 }

-- ==
-- entry: truth
-- input { [true, true] } output { true true }
-- input { [true, false] } output { false true }
-- input { [false, false] } output { false false }
-- input { empty([0]bool) } output { true false }

entry folds (xs: []i32) : (i32, i32, i32, i32) =
  ( foldl (-) 0 xs
  , foldr (-) 0 xs
  , foldl (\acc x -> 10 * acc + x) 0 xs
  , foldr (\x acc -> 10 * acc + x) 0 xs
  )

entry truth (xs: []bool) : (bool, bool) = (and xs, or xs)
