-- error: type-arity
type pair 'a 'b = (a, b)
def f (x: pair i32) = x
