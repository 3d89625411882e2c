-- error: ambiguous-type
def same x y = x == y
def f = same 1i32 2
