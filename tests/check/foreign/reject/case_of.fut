-- error: foreign-syntax
def f (x: i32) = case x of
  0 -> 1
  _ -> 2
