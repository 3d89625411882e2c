-- error: type-mismatch
def elem [n] 'a (x: a) (xs: [n]a) : bool = any (\y -> y == x) xs
