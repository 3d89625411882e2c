-- warning: default-type
-- error: refutable-pattern
def (x: i32) +++ 0 : i32 = x
