-- error: foreign-syntax
def f (xs: []i32) = filter (= 0) xs
