-- error: unclosed-bracket
def xs = [1, 2, 3

def ys = [4]
