-- error: type-mismatch
def f (x: i32) : i32 = match x case #a -> 1 case _ -> 2
