-- error: not-consumable

def main [n] (xs: [n]i32) =
  loop ys = xs for i < n do ys with [i] = 0
