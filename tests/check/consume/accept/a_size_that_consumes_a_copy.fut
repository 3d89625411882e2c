def first (xs: *[]i64) : i64 = (xs with [0] = 2)[0]
def same (xs: []i64) : *[]i64 = copy xs

def f (xs: []i64) (ys: [first (copy xs)]i32) = (xs, ys)
def g (ys: [first [1, 2]]i32) = ys
def h (xs: []i64) (ys: []i32) = ys :> [first (same xs)]i32
def k (xs: *[]i64) = iota (first xs)
