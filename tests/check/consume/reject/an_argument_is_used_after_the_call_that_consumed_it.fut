-- error: use-after-consume

def zero_first (xs: *[]i32) : i32 = let xs[0] = 0 in xs[0] + xs[1]

def main (xs: *[]i32) =
  let z = zero_first xs
  in z + xs[1]
