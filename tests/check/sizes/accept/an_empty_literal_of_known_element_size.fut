def f : [0]i32 = []
def g (n: i64) : [0][n]i32 = []
