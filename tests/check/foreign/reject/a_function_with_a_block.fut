-- error: foreign-syntax
def f (xs: []i32) = map (function(x) { x + 1 }) xs
