-- error: ambiguous-type
def f r = r.x
