-- error: existential-size
-- error: ambiguous-size
def f (xs: [][10]i32) = map (filter (> 0)) xs
