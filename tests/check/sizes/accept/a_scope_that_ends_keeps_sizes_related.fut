-- The sizes are unknown outside, but one of them is still made of the other.

def halves (n: i64, _: bool) = (replicate n 0i32, replicate (n + n) 1i32)

def longer (n: i64, _: bool) = (replicate (n + 1) 0i32, replicate n 1i32)

def thrice (n: i64, _: bool) = {a = replicate (n + 2) 0i32, b = replicate ((n + 2) * 3) 1i32}

def twice_as_long [k] (xs: [k]i32) (ys: [k + k]i32) = (xs, ys)

def one_longer [k] (xs: [k]i32) (ys: [k + 1]i32) = (xs, ys)

def thrice_as_long [k] (xs: [k]i32) (ys: [k * 3]i32) = (xs, ys)

entry main (x: i64) =
  let (a, b) = halves (x, true)
  let (c, d) = longer (x, true)
  let e = thrice (x, true)
  let (f, g) =
    let (n, _) = (x, x)
    in (replicate (n + 1) 0i32, replicate n 0i32)
  in (twice_as_long a b, one_longer d c, thrice_as_long e.a e.b, one_longer g f)
