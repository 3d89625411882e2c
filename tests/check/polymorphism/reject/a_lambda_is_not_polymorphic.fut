-- error: type-mismatch
def f = (\g -> (g 1i32, g true)) (\x -> x)
