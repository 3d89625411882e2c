-- error: not-consumable
def first (xs: *[]i64) : i64 = (xs with [0] = 2)[0]

def f (xs: *[]i64) (ys: [first xs]i32) = (xs, ys)
