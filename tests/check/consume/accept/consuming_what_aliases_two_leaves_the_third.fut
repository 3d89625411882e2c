def main (p: bool) (q: bool) (a: *[]i32) (b: *[]i32) (c: *[]i32) =
  let x = if p then a else b
  let y = if q then b else c
  let x[0] = y[0]
  in (x, c)
