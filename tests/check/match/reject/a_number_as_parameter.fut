-- warning: default-type
-- error: refutable-pattern
def f (x: i32) 1 : i32 = x
