-- error: type-mismatch
def differ [n] 'a (xs: [n](i32, a)) (ys: [n](i32, a)) : bool = xs != ys
