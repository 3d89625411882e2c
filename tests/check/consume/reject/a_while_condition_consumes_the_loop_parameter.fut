-- error: not-consumable

def main (xs: *[]i32) =
  loop xs while (xs with [0] = 1)[1] == 2 do copy xs
