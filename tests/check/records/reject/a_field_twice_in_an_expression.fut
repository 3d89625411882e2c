-- error: duplicate-field
def r = {x = 1i32, x = 2i32}
