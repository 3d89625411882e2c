def f (xs: []i64) : []i64 =
  let (_, _, _, values) = flatmap' (\x -> iota x) xs
  in values
