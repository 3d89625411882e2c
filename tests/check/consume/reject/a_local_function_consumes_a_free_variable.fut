-- error: not-consumable

def main (xs: *[]i32) =
  let put (x: i32) = (xs with [0] = x)[1]
  in put 3
