-- error: unclosed-bracket
def r = {x = 1, y = 2

def ys = [4]
