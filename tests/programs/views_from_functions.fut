-- Functions that return views of what they are given, or of what they make. Large enough for memory of their own, which small arrays do not need.
-- ==
-- entry: columns
-- input { 3i64 } output { [0i64, 240i64, 480i64] }

-- ==
-- entry: in_order
-- input { 20i64 true } output { 58800i64 }
-- input { 20i64 false } output { 45500i64 }

-- ==
-- entry: steps
-- input { 100i64 1i64 } output { 4950i64 }
-- input { 100i64 3i64 } output { 1683i64 }
-- input { 100i64 -7i64 } output { 750i64 }
-- input { 100i64 0i64 } error: out of bounds

-- ==
-- entry: turned_often
-- input { 12i64 5i64 } output { 58344i64 }
-- input { 12i64 0i64 } output { 77220i64 }

-- ==
-- entry: stored
-- input { 10i64 } output { [450i64, 460i64, 470i64, 480i64, 490i64, 500i64, 510i64, 520i64, 530i64, 540i64] }

-- ==
-- entry: made
-- input { 30i64 } output { 19353i64 8555i64 }

-- ==
-- entry: changed
-- input { 70i64 } output { 170i64 }

-- ==
-- entry: inside
-- input { 9i64 } output { [324i64, 333i64, 342i64, 351i64, 360i64, 369i64, 378i64, 387i64, 396i64] }

-- ==
-- entry: passed_on
-- input { 80i64 } output { 3160i64 3160i64 }

-- ==
-- entry: nothing
-- input { 0i64 } output { 0i64 }

def matrix (n: i64) (m: i64) : *[n][m]i64 = tabulate_2d n m (\i j -> i * m + j)

def weighted [n] [m] (a: [n][m]i64) : i64 =
  i64.sum (map2 (\i row -> i * i64.sum row) (iota n) a)

#[noinline]
def column [n] [m] (a: [n][m]i64) (k: i64) : [n]i64 = a[:, k]

entry columns (k: i64) : []i64 =
  let a = matrix 80 (k * 2)
  let c = column a 0
  in map (\i -> c[i] * 40) (iota k)

-- The strides differ.
#[noinline]
def turned [n] (c: bool) (a: [n][n]i64) : [n][n]i64 =
  if c then transpose a else a

entry in_order (n: i64) (c: bool) : i64 =
  let t = turned c (map (map (% n)) (matrix n n))
  in weighted (map2 (\i row -> map (+ i) row) (iota n) t) - 100 * n * n

-- The stride is an argument.
#[noinline]
def every [n] (s: i64) (a: [n]i64) : []i64 = a[::s]

entry steps (n: i64) (s: i64) : i64 = i64.sum (every s (iota n))

-- What one iteration returns is what the next one is given.
entry turned_often (n: i64) (k: i64) : i64 =
  weighted (loop a = matrix n n for i < k do turned (i % 2 == 0) a)

-- Copied once, to where they belong.
entry stored (n: i64) : []i64 =
  let a = matrix n n
  let b = loop b = replicate n (replicate n 0) for i < n do b with [i] = column a i
  in map i64.sum b

-- All of an array that the function has made, and a part of one.
#[noinline]
def all_made (n: i64) : [n]i64 =
  let a = loop a = replicate n 1 for i < n - 1 do a with [i + 1] = (a[i] * 3) % 101
  in a[::-1]
#[noinline]
def part_made (n: i64) : [n]i64 = (copy (matrix n n))[:, 0]

entry made (n: i64) : (i64, i64) =
  let a = all_made n
  let b = part_made n
  in (i64.sum (map2 (*) a (iota n)), i64.sum (map2 (*) b (iota n)) / n)

-- The view is the caller's, to change.
#[noinline]
def first [n] [m] (a: *[n][m]i64) : *[n]i64 = a[:, 0]

entry changed (n: i64) : i64 =
  let c = first (matrix n 2)
  let c[3] = 100
  in c[3] + c[35]

-- Called in the function of an operator.
entry inside (n: i64) : []i64 =
  let a = matrix n n
  in map (\i -> i64.sum (column a i)) (iota n)

-- Views of what another function has returned, and arguments of others.
#[noinline]
def second [n] [m] (a: [n][m]i64) : [n]i64 = (column (transpose (reverse (transpose a))) 1)[::-1]
#[noinline]
def total [n] (a: [n]i64) : i64 = loop s = 0 for x in a do s + x

entry passed_on (n: i64) : (i64, i64) =
  let a = map (\i -> [i, 2 * i, i]) (iota n)
  let b = second a
  let c = column a 0
  in (total b / 2, total c)

entry nothing (n: i64) : i64 = i64.sum (column (matrix n 5) 1) + i64.sum (every 2 (iota n))
