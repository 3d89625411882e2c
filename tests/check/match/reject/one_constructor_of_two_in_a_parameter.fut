-- error: refutable-pattern
def f ((#a x) : (#a i32 | #b)) : i32 = x
