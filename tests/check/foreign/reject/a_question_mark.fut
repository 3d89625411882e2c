-- error: foreign-syntax
def f (x: i32) : i32 = x > 0 ? x : 0
