-- error: foreign-syntax
def f (i32 x) = x
