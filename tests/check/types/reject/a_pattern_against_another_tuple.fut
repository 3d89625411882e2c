-- error: type-mismatch
def f (p: (i32, i32)) = let (a, _, _) = p in a
