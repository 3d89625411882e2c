-- error: foreign-syntax
def f (xs: []i32) = filter (\x -> x = 0) xs
