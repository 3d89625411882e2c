-- error: type-mismatch
def f (x: #a | #b) : i32 = match x case #a -> 1 case #c -> 2
