-- error: type-mismatch
-- error: type-mismatch
def f (s: seq i32) = i32.sum s

def g : seq i32 = \i -> 3
