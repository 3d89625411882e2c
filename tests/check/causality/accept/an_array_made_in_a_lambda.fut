def f (xs: []i32) = map (\x -> i32.sum (filter (> x) [1, 2, 3])) xs
