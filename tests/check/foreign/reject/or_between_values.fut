-- error: foreign-syntax
def f (x: i32) (y: i32) = if x > 0 or y > 0 then 1 else 2
