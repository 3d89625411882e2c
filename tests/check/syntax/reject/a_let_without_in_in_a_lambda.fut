-- error: missing-in
def f (xs: []i32) = map (\x -> let y = x + 1 let z = y + 2) xs
