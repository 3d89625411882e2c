-- error: foreign-syntax
def f (x: i32) : i32 =
  if x > 0 then 1
  elif x < 0 then 2
  else 3
