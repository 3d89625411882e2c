-- error: foreign-syntax
def f (xs: []i32) = [x + 1 | x <- xs]
