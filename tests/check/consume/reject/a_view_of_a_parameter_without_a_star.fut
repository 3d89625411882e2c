-- error: not-consumable

def main (m: [][]i32) =
  let row = m[0]
  in row with [0] = 1
