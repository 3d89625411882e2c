-- error: occurs-check
def f xs = [xs, [xs]]
