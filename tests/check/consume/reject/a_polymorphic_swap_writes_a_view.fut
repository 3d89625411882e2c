-- error: update-aliases

def swap 't (i: i64) (j: i64) (xs: *[]t) =
  let x = xs[i]
  let xs[i] = xs[j]
  let xs[j] = x
  in xs
