def main [n] (m: *[n][n]i32) =
  loop m for i < n do
    let row = m[i]
    in m with [i] = map (+ 1) row
