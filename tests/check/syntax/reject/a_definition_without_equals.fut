-- error: missing-equals
def f (x: i32) x + 1
