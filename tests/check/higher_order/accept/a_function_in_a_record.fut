def f (r: {op: i32 -> i32, x: i32}) = r.op r.x
def a = f {op = (+ 1), x = 2}
