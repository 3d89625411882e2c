def id' '^a (x: a) : a = x
def a = id' 1i32
def b = id' true
def c = id' id' 2i32
