-- error: foreign-syntax
def f (x: i32) = let y = 1, z = 2 in y + z
