-- error: use-after-consume

type maybe [n] = #just ([n]i32) | #nothing

def main [n] (xs: *[n]i32) =
  let m: maybe [n] = #just xs
  let xs[0] = 0
  in match m
     case #just ys -> (xs, ys[0])
     case #nothing -> (xs, 0)
