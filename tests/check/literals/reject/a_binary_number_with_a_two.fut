-- error: invalid-literal
def x = 0b102
