-- error: functional-type
def keep 'a (x: a) : a = x
def f = keep (\(x: i32) -> x + 1)
