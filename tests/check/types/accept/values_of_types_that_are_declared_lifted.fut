type^ t = i32

type^ u = (t, bool)

def values (x: t) (y: t) = [x, y]
