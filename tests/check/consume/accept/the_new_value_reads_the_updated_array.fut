def main [n] (xs: *[n]f32) : [n]f32 = xs with [0:n - 1] = map (/ xs[0]) xs[0:n - 1]
