-- error: type-mismatch
def same 'a (x: a) (y: a) : bool = x == y
