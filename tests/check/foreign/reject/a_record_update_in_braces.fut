-- error: foreign-syntax
def f (p: {x: i32}) = {p with x = 1}
