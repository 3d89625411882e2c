-- error: type-mismatch
def apply (f: i32 -> i32 -> i32) = f 1 2
def a = apply (\x -> x)
