-- error: unclosed-bracket
def f = [(1, 2], 3)
