-- error: foreign-syntax
def f (x: i32) =
  g y = y + 1
  in g x
