-- error: not-consumable
def first (xs: *[]i64) : i64 = (xs with [0] = 2)[0]

def f (g: (xs: *[3]i64) -> [first xs]i32) = g [1, 2, 3]
