-- error: unexpected-character
@inline
def f (x: i32) = x
