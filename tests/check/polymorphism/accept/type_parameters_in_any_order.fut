def f 'a [n] 'b (xs: [n]a) (y: b) : ([n]a, b) = (xs, y)
