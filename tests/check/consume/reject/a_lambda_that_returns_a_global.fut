-- error: alias-free-variable
def table = [1i32, 2, 3]
def f (n: i64) = map (\_ -> table) (iota n)
