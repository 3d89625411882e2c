-- error: unexpected-character
def f (xs: []i32) = reduce (+) 0 $ map (+1) xs
