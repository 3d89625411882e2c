-- error: foreign-syntax
def f (x: i32) (xs: []i32) = x :: xs
