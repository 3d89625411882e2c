def f [k] [n] (d: *[k]i32) (is: [n]i64) (vs: [n]i32) : *[k]i32 = scatter d is vs
def g [n] (is: [n]i64) : [10]i32 = hist (+) 0 10 is (map (\_ -> 1) is)
