type t = #a i32 | #b
def f (xs: []t) : []i32 = map (\x -> match x case #a i -> i case #b -> 0) xs
