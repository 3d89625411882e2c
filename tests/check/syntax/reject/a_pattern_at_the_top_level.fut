-- error: pattern-at-top-level
def (a, b) = (1i32, 2i32)
