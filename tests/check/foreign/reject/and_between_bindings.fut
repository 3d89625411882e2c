-- error: foreign-syntax
def f (x: i32) = let y = 1 and z = 2 in y + z
