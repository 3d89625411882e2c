-- error: keyword-as-name
def def f (x: i32) = x
