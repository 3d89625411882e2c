-- error: unexpected-character
def f (xs: []i32) = map (λx -> x) xs
