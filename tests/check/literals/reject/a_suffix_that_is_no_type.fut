-- error: invalid-literal
def x = 5i33
