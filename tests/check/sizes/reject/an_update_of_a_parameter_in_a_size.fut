-- error: not-consumable
def pad (v: *[2]i64) (xs: [(v with [0] = 1)[1]]i32) = (v, xs)
