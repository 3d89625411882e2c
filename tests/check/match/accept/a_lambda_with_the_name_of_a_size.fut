-- warning: shadowed-size
def f [n] (xs: [n]i32) : [n]i32 = map (\n -> n + 1) xs
