-- error: foreign-syntax
def f (x: i32) (y: i32) = x > 0 and y > 0
