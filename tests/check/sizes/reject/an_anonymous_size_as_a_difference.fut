-- error: size-mismatch
-- Would demand of every caller that "ys" has 10 - n elements.
def f (xs: []i32) (ys: []i32) : [10]i32 = xs ++ ys
