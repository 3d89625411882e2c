-- error: size-mismatch
def f (g: (n: i64) -> [n]i32) =
  let xs = []
  in map (\i -> let _ = [xs, g i] in 0i32) (iota 3)
