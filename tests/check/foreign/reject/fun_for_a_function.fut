-- error: foreign-syntax
def f (xs: []i32) = map (fun x -> x + 1) xs
