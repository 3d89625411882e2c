-- The size of the result is known when the program runs.
entry main (xs: []i32) : []i32 = filter (> 0) xs
