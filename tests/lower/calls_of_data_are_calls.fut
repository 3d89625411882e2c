-- A call with data only stays one. There is one function for each combination of shapes: here one for i32, one for pairs.
def first 'a [n] (xs: [n]a) : a = xs[0]

entry main [n] (xs: [n]i32) (ys: [n]i32) : (i32, i32, (i32, i32)) =
  (first xs, first ys, first (zip xs ys))
