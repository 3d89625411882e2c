-- Writes at computed places, combined by an operator or not.
entry bins (k: i64) (is: []i64) : [k]i32 = hist (+) 0 k is (map (const 1) is)

entry write [n] (xs: *[n]i32) (is: []i64) (vs: []i32) : *[n]i32 =
  scatter xs (is :> [3]i64) (vs :> [3]i32)
