-- error: type-mismatch
def f (x: i32) (y: bool) =
  let same v = v
  in (same x, same y)
