-- error: also-bound
def f 'a 'a (x: a) : a = x
