def const' x _ = x
def a = const' 1i32 true
def b = const' true 1i32
