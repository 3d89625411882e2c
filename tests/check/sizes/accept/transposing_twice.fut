def f [n] [m] (xss: [n][m]i32) : [n][m]i32 = transpose (transpose xss)
