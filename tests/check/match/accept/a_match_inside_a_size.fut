-- warning: size-expression-bind
def f (b: bool) : []i32 =
  replicate (match b case true -> 2 case false -> 3) 0
