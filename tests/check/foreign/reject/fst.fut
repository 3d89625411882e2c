-- error: unknown-name
def f (p: (i32, i32)) = fst p
