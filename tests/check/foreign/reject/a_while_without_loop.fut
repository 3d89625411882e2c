-- error: foreign-syntax
def f (x: i32) =
  while x > 0 do x - 1
