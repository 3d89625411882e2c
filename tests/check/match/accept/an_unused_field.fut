-- warning: unused-name
def f ({a, b}: {a: i32, b: i32}) : i32 = a
