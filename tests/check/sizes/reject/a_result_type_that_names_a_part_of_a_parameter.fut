-- error: inaccessible-size
-- error: inaccessible-size
-- error: inaccessible-size
def ones (n: i64, x: i32) : [n]i32 = replicate n x

def inner (p: (i64, i32)) =
  let ones {n: i64, x: i32} : (i32, [n + 1]i32) = (x, replicate (n + 1) x)
  in ones {n = p.0, x = p.1}

def lambda = \(n: i64, x: i32) : [n]i32 -> replicate n x
