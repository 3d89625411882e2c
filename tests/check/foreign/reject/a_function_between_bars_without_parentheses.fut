-- error: foreign-syntax
def f (xs: []i32) = map |x| x + 1 xs

def g (xs: []i32) = map |x| i32.max x 1 xs

def h : []i32 -> []i32 = map |x| x + 1
