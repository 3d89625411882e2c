-- error: unexpected-token
def f = map (\x x + 1) [1i32]
