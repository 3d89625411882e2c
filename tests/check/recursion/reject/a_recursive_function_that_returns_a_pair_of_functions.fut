-- error: recursion
def f (n: i32) : (i32, i32 -> i32) = (n, \x -> (f (x + n)).0)
