-- error: literal-out-of-bounds
def x : u8 = 256
