-- error: update-aliases

def main [n] (m: *[n][n]i32) =
  let t = transpose m
  let m[0] = t[0]
  in m
