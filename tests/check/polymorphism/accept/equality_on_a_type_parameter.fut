def member [n] 'a (eq: a -> a -> bool) (x: a) (xs: [n]a) : bool = any (eq x) xs
def f = member (==) 2i32 [1, 2, 3]
