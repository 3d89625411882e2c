-- error: contains-consumption

def put (xs: *[]i32) (i: i64) (x: i32) = xs with [i] = x

def main (xs: *[]i32) =
  let f = put xs
  in f 0 1
