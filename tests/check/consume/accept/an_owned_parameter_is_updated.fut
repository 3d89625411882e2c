def main (xs: *[]i32) (i: i64) (x: i32) : *[]i32 = xs with [i] = xs[i] + x
