-- The sizes of parameters that are results of the two sides of a branch stay apart; that of the result is unknown.

def larger (a: []i32) (b: []i32) = if a[0] > b[0] then a else b

def first_of [n] (c: bool) (a: []i32) (b: [n]i32) =
  match c
  case true -> a
  case false -> b

def not_annotated a b = if length a > length b then a else b

-- What says that they are equal still does.
def equal (a: []i32) (b: []i32) =
  let c = map2 (+) a b
  in if c[0] > 0 then a else b

def longest [n] [m] (rows: [n][m]i32) = reduce (\a b -> if a[0] > b[0] then a else b) rows[0] rows

entry main (n: i64) (m: i64) =
  let x = larger (replicate n 1) (replicate m 2)
  let y = first_of true (replicate m 1) (replicate n 1)
  let z = not_annotated (replicate m 1i32) (replicate n 1)
  let u = (\(a: []i32) (b: []i32) -> if a[0] > b[0] then a else b) (replicate n 1) (replicate m 1)
  in (x, y, z, u, equal (iota n |> map i32.i64) (replicate n 2), longest (replicate n (replicate m 1)))
