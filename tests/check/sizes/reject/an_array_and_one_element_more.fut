-- error: size-mismatch
def f (xs: []i32) =
  let ys = filter (> 0) xs
  in ys ++ [1]

def g [k] (_: [k + 1]i32) = k

def h (xs: []i32) = g (f xs)
