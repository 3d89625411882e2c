-- error: foreign-syntax
def f (x: i32) : i32 = x if x > 0 else 0
