-- error: foreign-syntax
def f (x: i32) = let y <- x in y
