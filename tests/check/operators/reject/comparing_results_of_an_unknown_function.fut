-- error: ambiguous-type
def agree f g (xs: []i32) = all (\x -> f x == g x) xs
