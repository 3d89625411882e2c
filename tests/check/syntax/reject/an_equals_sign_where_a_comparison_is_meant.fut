-- error: foreign-syntax
def f (x: i32) : bool = if x = 1 then true else false
