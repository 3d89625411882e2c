-- error: foreign-syntax
def f (x: i32) =
  var y = x
  in y
