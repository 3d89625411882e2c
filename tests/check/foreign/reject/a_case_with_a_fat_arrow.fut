-- error: foreign-syntax
def f (x: i32) = match x
  case 0 => 1
  case _ => 2
