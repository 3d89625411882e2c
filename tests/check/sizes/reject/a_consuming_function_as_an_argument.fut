-- error: unify-consuming-param
def apply (f: [2]i32 -> i32) (x: [2]i32) : i32 = f x
def eat (x: *[2]i32) : i32 = x[0]
def g (x: [2]i32) = apply eat x
