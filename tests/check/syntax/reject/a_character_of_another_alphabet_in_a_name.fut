-- error: unexpected-character
def größe = 1i32
