-- error: not-consumable
def pad (v: *[2]i64) (xs: [let w = v with [0] = 1 in w[1]]i32) = (v, xs)
