-- error: type-mismatch
def f (r: {x: i32}) = let {x, y = _} = r in x
