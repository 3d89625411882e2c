def twice (f: i32 -> i32) (x: i32) = f (f x)
def a = twice (+ 1) 2
def b = twice (\x -> x * x) 2
