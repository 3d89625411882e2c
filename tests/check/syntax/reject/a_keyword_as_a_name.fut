-- error: keyword-as-name
def loop (x: i32) = x
