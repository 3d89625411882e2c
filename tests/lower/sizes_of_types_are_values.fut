-- A size that only a type mentions is computed from the arguments that have it.
def size_of [n] 'a (_: [n]a) : i64 = n

entry main [n] [m] (xss: [n][m]i32) : (i64, i64) =
  (size_of xss, size_of (transpose xss) * m)
