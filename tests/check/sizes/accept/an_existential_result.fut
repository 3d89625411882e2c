def f (p: i32 -> bool) (xs: []i32) : ?[k].[k]i32 = filter p xs
def g (xs: []i32) : []i32 = f (> 0) xs
