def apply '~a '~b (f: a -> b) (x: a) : b = f x
def g (xs: []i32) = apply (\(ys: []i32) -> filter (> 0) ys) xs
