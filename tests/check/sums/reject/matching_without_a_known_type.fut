-- error: ambiguous-type
def f x : i32 = match x case #a -> 1 case #b -> 2
