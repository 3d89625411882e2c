def a [n] (xs: [n]i32) : [2]i32 = take 2 xs
def b [n] (xs: [n + 2]i32) : [n]i32 = drop 2 xs
