-- error: functional-type
def f (n: i64) = loop g = (+ 1i32) for _i < n do (\x -> g (g x))
