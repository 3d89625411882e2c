-- error: occurs-check
def f (g: (xs: []i32) -> i32) =
  let h = \xs -> xs ++ [1i32]
  in \ys -> [h ys, ys]
