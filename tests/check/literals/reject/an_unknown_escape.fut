-- error: invalid-literal
def s = "a\qb"
