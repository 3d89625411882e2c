-- error: foreign-syntax
def f (x: Option<i32>) : i32 = 1
