def zeros [n] : [n]i32 = rep 0
def a : [3]i32 = zeros
def f [n] (xs: [n]i32) = map2 (+) xs zeros
