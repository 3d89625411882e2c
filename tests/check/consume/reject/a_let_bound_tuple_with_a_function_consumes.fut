-- error: contains-consumption

def main (xs: *[]i32) =
  let (f, y) = (\(i: i32) -> i + 1, (xs with [0] = 1)[0])
  in f y
