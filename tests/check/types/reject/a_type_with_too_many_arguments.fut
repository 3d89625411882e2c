-- error: type-arity
type t 'a = [2]a
def f (x: t i32 bool) = x
