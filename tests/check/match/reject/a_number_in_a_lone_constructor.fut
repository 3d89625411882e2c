-- error: refutable-pattern
def f ((#only 1) : #only i32) : i32 = 2
