-- Filters and partitions are stable, also when nothing or everything is selected.
-- ==
-- entry: filters
-- input { [5, 2, 8, 1, 4] } output { [2, 8, 4] }
-- input { [5, 1] } output { empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: partitions
-- input { [5, 2, 8, 1, 4] } output { [2, 8, 4] [5, 1] }
-- input { [5, 1] } output { empty([0]i32) [5, 1] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: three_ways
-- input { [5, 2, 8, 1, 4, 5] } output { [2, 8, 4] [1] [5, 5] }
-- input { [4] } output { [4] empty([0]i32) empty([0]i32) }

def even (x: i32) = x % 2 == 0

entry filters (xs: []i32) : []i32 = filter even xs

entry partitions (xs: []i32) : ([]i32, []i32) =
  let (evens, odds) = partition even xs
  in (evens, odds)

-- The first predicate takes precedence where both hold.
entry three_ways (xs: []i32) : ([]i32, []i32, []i32) =
  let (evens, small, others) = partition2 even (< 5) xs
  in (evens, small, others)
