-- error: polymorphic-entry
entry first 'a [n] (xs: [n]a) : a = xs[0]
