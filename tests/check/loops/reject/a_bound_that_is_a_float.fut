-- error: type-mismatch
def f (n: f32) : i32 = loop acc = 0 for _i < n do acc + 1
