-- error: update-aliases

def main [n] (m: *[n][n]i32) = m with [0] = m[1]
