-- error: type-mismatch
def f (x: i32) = match x case 0 -> true case _ -> x
