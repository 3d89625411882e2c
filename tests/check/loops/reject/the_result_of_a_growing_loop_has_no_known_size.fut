-- error: size-mismatch
def f [n] (xs: [n]i32) : [n]i32 = loop ys = xs for _i < 3i32 do ys ++ [1]
