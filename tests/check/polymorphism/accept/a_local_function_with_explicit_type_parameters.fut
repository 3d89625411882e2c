def f (x: i32) (y: bool) =
  let same 'a (v: a) : a = v
  in (same x, same y)
