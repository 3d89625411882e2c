-- error: functional-type
def f '^a (x: a) = [x]
