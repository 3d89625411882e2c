def put (xs: *[]i32) : []i32 = xs with [0] = 1

def main (xs: *[]i32) = put (put xs) with [1] = 2
