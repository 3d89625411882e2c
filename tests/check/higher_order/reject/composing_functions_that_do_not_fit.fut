-- error: type-mismatch
def f : i32 -> bool = (+ 1i32) >-> (\b -> !b && true)
