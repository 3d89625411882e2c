-- error: foreign-syntax
def f (x: i32) = match x with case 0 -> 1 case _ -> 2
