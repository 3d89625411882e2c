-- error: foreign-syntax
def f (xs: []i32) = map (function(x) { y = x; return y; }) xs
