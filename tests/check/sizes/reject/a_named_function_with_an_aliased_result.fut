-- error: result-not-fresh
def apply (f: [2]i32 -> *[2]i32) (x: [2]i32) : *[2]i32 = f x
def same (x: [2]i32) : [2]i32 = x
def g (x: [2]i32) = apply same x
