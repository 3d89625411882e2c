-- error: recursion
def f xs : i64 = if length xs < 2 then length xs else f (tail xs)
