-- Sizes that depend on an argument are unknown when the function has been passed to another one.

def apply '^a '^b (f: a -> b) (x: a) : b = f x

def grid (n: i64) (m: i64) : [n][m]bool = replicate n (replicate m true)

def box (n: i64) (m: i64) (k: i64) : [n][m][k]bool = replicate n (grid m k)

def rows [n] (xs: [n]i32) (m: i64) : [m][n]i32 = replicate m xs

def with_two '~b (f: i64 -> i64 -> b) : b = f 1 2

entry main (n: i64) (xs: []i32) =
  ( uncurry grid (n, 3)
  , flip grid n 3
  , apply (apply grid n) 3
  , apply (apply (apply box n) 2) 3
  , with_two grid
  , with_two (box n)
  , flip rows 3 xs
  , uncurry rows (xs, 3)
  )
