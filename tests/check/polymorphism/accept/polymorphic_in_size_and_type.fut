def zip_with [n] 'a 'b 'c (f: a -> b -> c) (xs: [n]a) (ys: [n]b) : [n]c = map2 f xs ys
def g = zip_with (+) [1i32, 2] [3, 4]
