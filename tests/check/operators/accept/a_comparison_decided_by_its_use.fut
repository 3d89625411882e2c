def f (x: i32) = let same a b = a == b in same x 2
def apply f x = f x x
def g = apply (==) 3i32
def member 'a (equal: a -> a -> bool) (x: a) (xs: []a) = any (equal x) xs
def h = member (==) (1i32, [2i32, 3]) [(1, [2, 3])]
def positions x = map (== x) [1u8, 2]
