def put (xs: *[]i32) (n: i64) = xs with [0] = i32.i64 n

def main (xs: *[]i32) = put xs (length xs)
