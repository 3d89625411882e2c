-- warning: unused-name
def f (n: i64) : i64 =
  let xs = replicate n 0i32
  let xs[0] = 1
  in n
