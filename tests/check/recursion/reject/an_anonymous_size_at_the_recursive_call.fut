-- error: recursion
def f (xs: []i32) : []i32 = if length xs < 2 then xs else f (tail xs)
