-- error: self-aliasing-arg

def main (xs: *[4]i64) =
  loop (a, b) = (xs, xs) for i < 4 do (a with [i] = b[0], b)
