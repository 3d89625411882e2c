-- error: foreign-syntax
def f (x: i32) = assert(x > 0, x)
