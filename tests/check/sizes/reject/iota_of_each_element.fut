-- error: existential-size
def f (xs: []i64) = map iota xs
