-- Loops, updates in place, and indices that are proved, tested before the loop, or tested in it.

entry prefix [n] (xs: [n]i64) : i64 =
  loop acc = 0 for i < n do acc + xs[i]

entry prefix_of [n] (k: i64) (xs: [n]i64) : i64 =
  loop acc = 0 for i < k do acc + xs[i]

entry chase [n] (next: [n]i64) (steps: i64) : i64 =
  loop at = 0 for _i < steps do next[at]

entry smooth [n] (steps: i64) (xs: [n]f64) : [n]f64 =
  loop ys = map (* 2) xs for _s < steps do
    map (\i -> (ys[i64.max 0 (i - 1)] + ys[i]) / 2) (iota n)

entry marked [n] (xs: *[n]bool) (is: []i64) : *[n]bool =
  let doubled = map (* 2) is
  in scatter xs doubled (map (const true) doubled)
