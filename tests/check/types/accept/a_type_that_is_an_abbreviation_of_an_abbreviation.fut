type a = i32
type b = [2]a
type c = (b, b)
def f (x: c) : i32 = x.0[1]
