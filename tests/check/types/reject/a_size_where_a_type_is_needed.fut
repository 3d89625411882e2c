-- error: type-argument-kind
type box 'a = {value: a}
def f [n] (x: box [n]) = x
