-- error: refutable-pattern
def f (n: i32) : i32 =
  let (_, r: i32) = loop (0, x) = (0i32, 1i32) for i < n do (0, x + i)
  in r
