-- error: keyword-as-name
def f (r: {type: i32}) = r
