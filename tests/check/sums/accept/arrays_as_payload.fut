type~ t = #text []u8 | #number i32
def f (x: t) : i64 = match x case #text s -> length s case #number _ -> 0
