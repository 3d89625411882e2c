-- error: refutable-pattern
def f (xs: []i32) : []i32 = map (\(1) -> 2) xs
