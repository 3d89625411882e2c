def main (xs: []i32) = (copy xs with [0] = 1, xs)
