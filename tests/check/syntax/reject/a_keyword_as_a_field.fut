-- error: keyword-as-name
def r = {in = 1, out = 2}
