-- Arrays that are written down, and ranges, whose sizes are computed and checked.
entry main (a: i64) (b: i64) : ([3]i64, [2][2]bool, []i64, []i64, []i64) =
  ([a, b, 3], [[true, false], [a > b, true]], a..<b, b..a...1, 1..3...9)
