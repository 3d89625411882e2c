-- error: foreign-syntax
def f (xs: []i32) = map (lambda x: x + 1) xs
