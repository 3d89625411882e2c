-- error: type-mismatch
def f (x: #a i32 bool | #b) : i32 = match x case #a i -> i case #b -> 2
