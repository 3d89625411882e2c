type pair 'a 'b = (a, b)
type vec [n] 'a = [n]a
def swap 'a 'b ((x, y): pair a b) : pair b a = (y, x)
def first [n] 'a (xs: vec [n] a) : a = xs[0]
