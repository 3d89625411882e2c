-- Reductions and scans whose operators combine arrays: matrices of a known size, rows of any size, and operators that
-- are no maps. Each is compared with a loop.

type mat = [2][2]i64

def product (a: mat) (b: mat) : mat =
  map (\row -> map (\column -> i64.sum (map2 (*) row column)) (transpose b)) a

def unit : mat = [[1, 0], [0, 1]]

def matrix (seed: i64) (i: i64) : mat =
  let x = (i * 7919 + seed) % 13 - 6
  in [[x, 1], [i % 3 - 1, 2]]

-- Not associative for all vectors, but for those whose first element is one: it is the product of lower triangular matrices.
def affine [m] (a: [m]i64) (b: [m]i64) : [m]i64 =
  loop r = replicate m 0
  for k < m do
    r with [k] = if k == 0 then 1 else a[k] + b[k] * a[0]

-- One that changes what it gets.
def added [m] (a: *[m]i64) (b: *[m]i64) : *[m]i64 =
  loop b for k < m do
    b with [k] = b[k] + a[m - 1 - (m - 1 - k)]

def row (m: i64) (seed: i64) (i: i64) : [m]i64 =
  tabulate m (\k -> if k == 0 then 1 else (i * 31 + k * seed) % 17)

def folded 'a [n] (op: a -> a -> a) (ne: a) (xs: [n]a) : a =
  loop acc = ne for i < n do op acc xs[i]

-- ==
-- entry: matrices
-- input { 0i64 3i64 } output { true }
-- input { 1i64 3i64 } output { true }
-- input { 1000i64 5i64 } output { true }
-- input { 3001i64 1i64 } output { true }
entry matrices (n: i64) (seed: i64) : bool =
  let ms = tabulate n (matrix seed)
  let ps = scan product unit ms
  let steps =
    (loop (out, acc) = (replicate n unit, unit)
     for i < n do
       let acc = product acc ms[i]
       in (out with [i] = acc, acc)).0
  let same (a: mat) (b: mat) = and (map2 (\r s -> and (map2 (==) r s)) a b)
  in and (map2 same ps steps) && same (reduce product unit ms) (if n == 0 then unit else ps[n - 1])

-- ==
-- entry: rows
-- input { 0i64 4i64 } output { true }
-- input { 1i64 4i64 } output { true }
-- input { 7i64 1i64 } output { true }
-- input { 2003i64 3i64 } output { true }
-- input { 301i64 40i64 } output { true }
entry rows (n: i64) (m: i64) : bool =
  let xs = tabulate n (row m 5)
  let ne = tabulate m (\k -> if k == 0 then 1 else 0)
  let ps = scan affine ne xs
  let steps =
    (loop (out, acc) = (replicate n ne, ne)
     for i < n do
       let acc = affine acc xs[i]
       in (out with [i] = acc, acc)).0
  let same a b = and (map2 (==) a b)
  in and (map2 same ps steps)
     && same (reduce affine ne xs) (folded affine ne xs)
     && same (reduce affine ne (map (map (\x -> x)) xs)) (folded affine ne xs)

-- ==
-- entry: changed
-- input { 700i64 6i64 } output { true }
-- input { 3i64 6i64 } output { true }
entry changed (n: i64) (m: i64) : bool =
  let xs = tabulate n (row m 3)
  let op a b = added (copy a) (copy b)
  let ps = scan op (replicate m 0) xs
  let total = reduce op (replicate m 0) (map (map (+ 1)) xs)
  let columns = map (scan (+) 0) (transpose xs)
  let same a b = and (map2 (==) a b)
  in and (map2 same ps (transpose columns))
     && same total (map (\column -> i64.sum column + n) (transpose xs))

-- A scan of rows beside a sum and what a map gives.
-- ==
-- entry: beside
-- input { 700i64 5i64 } output { true }
-- input { 0i64 5i64 } output { true }
entry beside (n: i64) (m: i64) : bool =
  let xs = tabulate n (row m 11)
  let (ps, firsts) =
    unzip (scan (\(a, s) (b, t) -> (affine a b, s + t))
                (tabulate m (\k -> if k == 0 then 1 else 0), 0)
                (map (\x -> (x, x[m - 1])) xs))
  let sums = scan (+) 0 (map (\x -> x[m - 1]) xs)
  let last = reduce affine (tabulate m (\k -> if k == 0 then 1 else 0)) xs
  in and (map2 (==) firsts sums) && (n == 0 || and (map2 (==) ps[n - 1] last))
