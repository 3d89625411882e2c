-- error: foreign-syntax
def f (x: i32) =
  let y = x
  y = y + 1
  in y
