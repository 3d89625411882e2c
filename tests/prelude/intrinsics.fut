-- Views of flat arrays, accumulators, and a sample of the scalar operations.
-- ==
-- entry: views
-- input { [0, 1, 2, 3, 4, 5, 6, 7, 8] } output { [[1, 2], [4, 5]] [[[0, 1], [3, 4]], [[1, 2], [4, 5]]] }

-- ==
-- entry: outside
-- input { [0, 1, 2, 3] } error: .*

-- ==
-- entry: updates
-- input { [0, 0, 0, 0, 0, 0] } output { [1, 0, 3, 0, 2, 0] [1, 2, 3, 4, 0, 0] }

-- ==
-- entry: accumulators
-- input { [1i64, 1i64, 0i64, 7i64] } output { [11, 22, 10] [1, 1, 5] }

-- ==
-- entry: scalars
-- input { -7 2 } output { [-4, -3, 1, -1, 2147483644, -3] [true, false] }

entry views (xs: []i32) : ([][]i32, [][][]i32) =
  (intrinsics.flat_index_2d xs 1 2 3 2 1, intrinsics.flat_index_3d xs 0 2 1 2 3 2 1)

entry outside (xs: []i32) : [][]i32 = intrinsics.flat_index_2d xs 1 2 2 2 1

entry updates [n] (xs: *[n]i32) : ([n]i32, [n]i32) =
  let ys = intrinsics.flat_update_2d (copy xs) 0 4 2 [[1, 3], [2, 0]][:1]
  let ys = intrinsics.flat_update_2d ys 4 1 1 [[2]]
  in (ys, intrinsics.flat_update_3d xs 0 1 2 1 [[[1, 2], [3, 4]]])

entry accumulators (is: []i64) : ([3]i32, [3]i32) =
  let mark (acc: *intrinsics.acc ([3]i32)) (i: i64) : *intrinsics.acc ([3]i32) =
    intrinsics.acc_write acc i 1
  in (intrinsics.hist_stream [10, 20, 10] (+) 0 mark is, intrinsics.scatter_stream [5, 5, 5] mark is)

entry scalars (x: i32) (y: i32) : ([]i32, []bool) =
  ( [ intrinsics.sdiv32 (x, y), intrinsics.squot32 (x, y), intrinsics.smod32 (x, y), intrinsics.srem32 (x, y)
    , intrinsics.lshr32 (x, 1), intrinsics.sdiv_up32 (x, y) ]
  , [intrinsics.slt32 (x, y), intrinsics.ult32 (x, y)]
  )
