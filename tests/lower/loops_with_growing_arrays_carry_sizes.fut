-- The size of the array is one more thing that changes.
entry main (n: i32) : []i32 =
  loop xs = [1] for _i < n do xs ++ map (* 2) xs
