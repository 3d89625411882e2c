-- error: unknown-name
def f (xs: []i32) = len xs
