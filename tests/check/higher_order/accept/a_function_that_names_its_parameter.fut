def tabulate' 'a (n: i64) (f: (i: i64) -> a) : [n]a = map f (iota n)
def f (make: (n: i64) -> [n]i32) : [3]i32 = make 3
