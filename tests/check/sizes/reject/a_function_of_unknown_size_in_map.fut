-- error: existential-size
def f (xs: [][10]i32) = map (filter (> 0)) xs
