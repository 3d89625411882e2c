-- error: occurs-check
def f x = x x
