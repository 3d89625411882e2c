-- error: foreign-syntax
def f (xs: []i32) =
  for x in xs do
    x + 1
