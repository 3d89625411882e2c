-- error: foreign-syntax
def f (xs: []i32) (ys: []i32) = map2 (function(x, y) { return x + y; }) xs ys
