-- error: consuming-argument

def put (xs: *[3]i32) (x: i32) : [3]i32 = xs with [0] = x

def main (vs: []i32) = map (put [1, 2, 3]) vs
