-- error: type-mismatch
def f (g: i32 -> bool -> i32) = g 1 true
def a = f (\(b: bool) (x: i32) -> if b then x else 0)
