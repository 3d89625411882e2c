-- error: causality-check
def f (n: i32) =
  let g = \x -> rep x
  let xs = filter (> n) [1, 2, 3]
  in zip xs (g 1i32)
