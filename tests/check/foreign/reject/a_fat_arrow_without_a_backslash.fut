-- error: unknown-name
def f (xs: []i32) = map (x => x + 1) xs
