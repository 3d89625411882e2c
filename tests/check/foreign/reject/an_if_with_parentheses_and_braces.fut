-- error: foreign-syntax
def f (x: i32) : i32 =
  if (x > 0) { x + 1 } else { 2 }
