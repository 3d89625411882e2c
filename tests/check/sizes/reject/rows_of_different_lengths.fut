-- error: size-mismatch
def f : [][]i32 = [[1, 2], [3]]
