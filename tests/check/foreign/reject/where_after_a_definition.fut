-- error: foreign-syntax
def f (x: i32) = y + 1
  where y = x * 2
