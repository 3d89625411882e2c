def put (xs: *[]i32) (i: i64) = xs with [i] = 0

def main (x: i32) =
  let f = put [x, x, x]
  in f 0
