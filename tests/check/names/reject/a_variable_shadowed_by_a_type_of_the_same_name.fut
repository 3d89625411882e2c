-- error: unknown-name
type t = i32
def f = t
