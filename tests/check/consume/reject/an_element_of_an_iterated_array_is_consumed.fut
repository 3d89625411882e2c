-- error: not-consumable

def main (m: *[4][4]i32) =
  loop s = 0 for row in m do
    let row[0] = 1
    in s + row[0]
