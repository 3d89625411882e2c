-- error: unmatched-cases
def f (xs: []bool) : []i32 =
  map (\x -> match x case false -> 1) xs
