-- An update of an array that is ours is a statement with the array as operand; its place is checked.
entry one [n] (xs: *[n]i32) (i: i64) : *[n]i32 = xs with [i] = 7

entry part [n] (xs: *[n]i32) (ys: [3]i32) : *[n]i32 = xs with [2:5] = ys

entry field (p: {a: i32, b: i32}) : (i32, i32) =
  let p = p with a = p.b
  in (p.a, p.b)
