-- Where an array is made depends on what is known before it.

-- More rows are made than are concatenated.
-- ==
-- entry: some_rows
-- input { 3i64 } output { true }
entry some_rows (n: i64) : bool =
  let m = n + 20
  let a = tabulate_2d m 4 (\i j -> i * 100 + j)
  let b = tabulate_2d m 4 (\i j -> i * 1000 - j)
  let c = tabulate n (\i -> concat a[i] b[i])
  in and (flatten (tabulate_2d n 4 (\i j -> c[i, j] == i * 100 + j && c[i, j + 4] == i * 1000 - j)))

-- That there is such an element follows from the array before it, which there may not be.
-- ==
-- entry: an_element
-- input { [1i64, 2i64, 3i64] 2i64 [0i64, 0i64, 0i64, 0i64, 0i64, 0i64] true } output { [0i64, 0i64, 0i64, 0i64, 1i64, 0i64] }
-- input { [1i64, 2i64, 3i64] -90000000000i64 [0i64, 0i64, 0i64, 0i64, 0i64, 0i64] true } error: invalid
entry an_element [n] [m] (a: [n]i64) (k: i64) (xs: *[m]i64) (b: bool) : *[m]i64 =
  let v =
    if b
    then scan (+) 0 (map (\i -> if i == 0 then 0 else i) (iota k))
    else reverse (scan (+) 3 (iota k))
  let j = a[k]
  in xs with [j:j + k] = v
