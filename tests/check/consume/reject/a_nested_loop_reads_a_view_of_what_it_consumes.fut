-- error: use-after-consume

def main [n] (m: *[n][n]i32) =
  let t = transpose m
  in loop m for i < n do
       loop m for j < n do
         m with [i, j] = t[i, j]
