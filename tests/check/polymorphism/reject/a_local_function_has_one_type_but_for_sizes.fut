-- error: type-mismatch
def f (n: i64) =
  let at g = g n
  in (at iota, at (\k -> replicate k true))
