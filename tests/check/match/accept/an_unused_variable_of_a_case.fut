-- warning: unused-name
def f (x: #a i32 | #b) : i32 = match x case #a y -> 1 case #b -> 2
