-- error: consuming-argument

def put (xs: *[]i32) (x: i32) : []i32 = xs with [0] = x

def run (f: i32 -> []i32) (x: i32) = f x

def main (xs: *[]i32) = run (put xs) 2
