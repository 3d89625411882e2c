-- error: size-mismatch
def f : [3]i32 = [1, 2, 3, 4]
