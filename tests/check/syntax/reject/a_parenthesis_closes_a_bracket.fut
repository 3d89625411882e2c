-- error: unclosed-bracket
def f (xs: []i32) = map (\x -> xs[x) xs
