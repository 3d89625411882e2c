-- error: foreign-syntax
def f (x: i32) : i32 = x + 1 // add one
def g (x: i32) : i32 = x
