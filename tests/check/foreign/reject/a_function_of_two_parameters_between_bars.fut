-- error: foreign-syntax
def f (xs: []i32) (ys: []i32) = map2 (|x, y| x + y) xs ys
