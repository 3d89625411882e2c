-- error: no-field
def f (r: {width: i32, height: i32}) = r.widht
