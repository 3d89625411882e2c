-- error: keyword-as-name
def f (match: i32) = match
