-- error: unexpected-character
def f : #a | #b = # a
