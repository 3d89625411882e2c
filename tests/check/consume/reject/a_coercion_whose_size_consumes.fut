-- error: not-consumable
def first (xs: *[]i64) : i64 = (xs with [0] = 2)[0]

def f (r: *{xs: []i64}) (ys: []i32) = ys :> [1 + first r.xs]i32
