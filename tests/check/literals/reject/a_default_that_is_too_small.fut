-- error: literal-out-of-bounds
def x = 3000000000
