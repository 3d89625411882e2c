def f (xs: []i32) = #[sequential_outer] #[flattening(only_intra)] map (+ 1) xs
