-- error: use-after-consume

def main (table: *[]i32) =
  let look = \i -> table[i] + 1
  let updated = table with [0] = 1
  in look 0 + updated[1]
