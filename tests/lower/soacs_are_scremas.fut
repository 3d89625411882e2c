-- Maps, reductions and scans are one operator with three lists of functions.
entry maps (xs: []i32) : []i32 = map i32.abs xs

entry sums (xs: []f32) : f32 = f32.sum xs

entry scans (xs: []i32) : []i32 = scan i32.max i32.lowest xs

entry both (xs: []i32) : (i32, bool) = (reduce_comm (+) 0 xs, any (> 3) xs)
