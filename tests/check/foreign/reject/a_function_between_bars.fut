-- error: foreign-syntax
def f (xs: []i32) = map (|x| x + 1) xs
