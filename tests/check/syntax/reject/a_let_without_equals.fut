-- error: missing-equals
def f (x: i32) = let y x + 1 in y
