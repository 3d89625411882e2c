-- error: refutable-pattern
def f ({a = 1, b} : {a: i32, b: i32}) : i32 = b
