-- error: type-mismatch
def f (x: #a | #b) : #a | #b | #c = x
