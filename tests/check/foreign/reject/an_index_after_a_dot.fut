-- error: foreign-syntax
def f (xs: []i32) = xs.[0]
