-- error: unclosed-bracket
def f (xs: []i32) = xs[0 + xs[1]
