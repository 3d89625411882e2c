def f [n] [m] (xs: [n]i32) (ys: [m]i32) : ([n]i32, [m]i32) = split (xs ++ ys)
