-- error: foreign-syntax
def f (xs: []i32) = [x * 2 | x <- xs, x > 0]
