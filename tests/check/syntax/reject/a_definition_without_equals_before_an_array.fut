-- error: missing-equals
def one (x: i32) [x]
def two (x: i32) : i32 = x
