-- error: unexpected-token
entry f 'b (x: b) 'a [n] (xs: [n]a) = n
