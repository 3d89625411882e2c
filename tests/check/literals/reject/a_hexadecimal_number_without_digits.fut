-- error: invalid-literal
def x = 0x
