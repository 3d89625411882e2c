-- error: higher-order-entry
entry f (s: i32 -> seq i32) : i64 = seq.length (s 3)
