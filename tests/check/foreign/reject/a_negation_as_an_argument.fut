-- error: reserved-operator
def g (b: bool) = b
def f (b: bool) = g !b
