-- error: foreign-syntax
def f (p: {x: i32}) = {x = 1, ..p}
