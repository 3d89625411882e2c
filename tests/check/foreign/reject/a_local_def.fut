-- error: foreign-syntax
def f (x: i32) =
  def g (y: i32) = y
  in g x
