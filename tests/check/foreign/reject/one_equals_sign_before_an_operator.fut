-- error: foreign-syntax
def f (x: i32) (y: i32) = x = 1 && y == 2
