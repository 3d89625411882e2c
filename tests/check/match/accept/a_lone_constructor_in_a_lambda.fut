def f (xs: [](#only i32)) : []i32 = map (\(#only x) -> x) xs
