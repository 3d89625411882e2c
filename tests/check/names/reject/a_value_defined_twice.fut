-- error: duplicate-definition
def x = 1i32
def x = 2i32
