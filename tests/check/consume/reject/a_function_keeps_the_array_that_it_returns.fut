-- error: use-after-consume

def keep [m] (marks: *[m]bool) : (i64 -> [m]bool) = \_ -> marks

def main (b: bool) =
  let f = keep (replicate 3 b)
  let x = f 0
  let y = f 1
  in (x with [0] = true, y)
