-- error: use-after-consume

def main (counts: *[]i32) =
  let updated = counts with [0] = 1
  in (updated, counts[1])
