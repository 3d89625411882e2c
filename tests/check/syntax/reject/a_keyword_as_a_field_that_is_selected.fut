-- error: keyword-as-name
def f (r: {x: i32}) = r.type
