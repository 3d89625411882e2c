-- error: foreign-syntax
def f (x: i32) : i32 =
  // add one
  x + 1
