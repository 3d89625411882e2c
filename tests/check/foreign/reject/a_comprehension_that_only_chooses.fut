-- error: foreign-syntax
def f (xs: []i32) = [x | x <- reverse xs, x > 0]
