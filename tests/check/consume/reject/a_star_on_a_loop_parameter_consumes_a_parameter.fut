-- error: not-consumable

def main [n] (xs: [n]i32) =
  loop (ys: *[n]i32) = xs for _i < n do ys
