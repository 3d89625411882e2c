-- error: foreign-syntax
def f (x: i32) = x is 1
