-- error: not-consumable
type vector [n] = [n]f32
def same (xs: []i64) : []i64 = xs
def first (xs: *[]i64) : i64 = (xs with [0] = 2)[0]

def f (xs: *[]i64) = \(v: vector [first (same xs)]) -> v[0]
