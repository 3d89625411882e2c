-- error: foreign-syntax
def f (xs: [i32; 3]) = xs
