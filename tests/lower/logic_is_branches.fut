-- `&&` and `||` do not evaluate what does not matter.
entry main (xs: []i32) (i: i64) : bool =
  i >= 0 && i < length xs && (xs[i] == 0 || 10 / xs[i] > 2)
