-- error: unknown-name
def f (x: i32) =
  y <- x * 2
  y + 1
