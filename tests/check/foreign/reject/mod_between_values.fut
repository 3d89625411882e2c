-- error: foreign-syntax
def f (x: i32) = x mod 2
