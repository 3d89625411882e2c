type square [n] = [n][n]f32
def trace [n] (m: square [n]) : f32 = f32.sum (tabulate n (\i -> m[i, i]))
