-- error: use-after-consume

def main (m: *[3][3]f64) =
  let t = transpose m
  let m[0, 1] = 1
  in t[1, 0] + m[0, 1]
