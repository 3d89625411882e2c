-- What was written about an expression is about the statement that it becomes.
entry main (xs: []i32) : []i32 =
  #[sequential_inner] map (\x -> #[unroll] loop y = x for _i < 4i32 do y * y) xs
