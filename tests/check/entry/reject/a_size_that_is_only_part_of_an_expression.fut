-- error: nonconstructive-entry
entry f [n] (xs: [n + 1]i32) : i64 = n + length xs
