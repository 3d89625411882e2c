-- error: unclosed-bracket
def f (x: i32) = (x + 1

def g (x: i32) = x
