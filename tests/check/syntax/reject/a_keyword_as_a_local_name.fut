-- error: keyword-as-name
def f (x: i32) = let val = x in val
