-- The size of the result is a result, too.
entry main (c: bool) (xs: []i32) (ys: []i32) : []i32 =
  if c then xs else concat xs ys
