-- error: size-mismatch
def apply (f: i64 -> i64) (x: i64) = f x

def pad (n: i64) (xs: [apply (\x -> x + 2) n]i32) : [apply (\x -> x + 1) n]i32 = xs
