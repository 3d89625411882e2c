def first 'a [n] (xs: [n]a) : a = xs[0]
entry first_i32 (xs: []i32) : i32 = first xs
