import "left"
def r = 1i32
