def f (xs: []i32) (y: i32) = map (\x -> (\z -> x + z) y) xs
