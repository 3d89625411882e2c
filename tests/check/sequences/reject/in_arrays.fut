-- error: functional-type
-- error: functional-type
-- error: functional-type
def f (s: seq i32) = [s, s]

def g (s: seq i32) = map (\i -> s) (iota 3)

def h (s: []seq i32) = length s
