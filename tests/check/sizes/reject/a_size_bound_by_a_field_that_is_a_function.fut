-- error: unused-size
type^ reader [n] = {read: [n]i32 -> i32}

def f [m] (r: reader [m]) =
  let [n] (s: reader [n]) = r
  in s.read (replicate n 1)
