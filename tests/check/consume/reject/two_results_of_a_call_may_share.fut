-- error: use-after-consume

def twice (xs: *[]i32) : ([]i32, []i32) = (xs, xs)

def main (xs: *[]i32) =
  let (a, b) = twice xs
  in (a with [0] = 1, b[0])
