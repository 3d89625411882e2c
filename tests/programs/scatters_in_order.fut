-- Scatters to places that follow each other are updates of slices; others, whose places may be out of bounds, are not.
-- ==
-- entry: shifted scanned gaps rows
-- script input { numbers 0i64 } output { 0i64 }
-- script input { numbers 1i64 } output { 0i64 }
-- script input { numbers 100i64 } output { 0i64 }
-- entry: beyond
-- input { 0i64 0i64 } output { 0i64 }
-- input { 10i64 0i64 } output { 0i64 }
-- input { 10i64 5i64 } output { 0i64 }
-- input { 10i64 -5i64 } output { 0i64 }
-- input { 10i64 1000i64 } output { 0i64 }

-- How many elements are not what they should be.
def wrong [n] (xs: [n]i64) (expected: i64 -> i64) : i64 =
  loop count = 0 for i < n do if xs[i] == expected i then count else count + 1

entry numbers (n: i64) : [n]i64 = iota n

-- Their sizes are those of an argument, so that twice as many do not wrap around.
entry shifted [n] (ks: [n]i64) : i64 =
  let xs = scatter (replicate (2 * n) 7) (map (n +) (iota n)) (map (\i -> i * i) ks)
  in wrong xs (\i -> if i < n then 7 else (i - n) * (i - n))

entry scanned [n] (ks: [n]i64) : i64 =
  let sums = scan (+) 0 (map (+ 1) ks)
  let xs = scatter (replicate (3 * n) 7) (map (n +) (iota n)) sums
  in wrong xs (\i -> if i < n || i >= 2 * n then 7 else let k = i - n + 1 in k * (k + 1) / 2)

entry gaps [n] (ks: [n]i64) : i64 =
  let xs = scatter (replicate (3 * n + 5) 7) (map (\i -> 3 * i + 2) (iota n)) (map (* 5) ks)
  in wrong xs (\i -> if i % 3 == 2 && i / 3 < n then i / 3 * 5 else 7)

entry rows [n] (ks: [n]i64) : i64 =
  let rows = map (\k -> map (+ k * 4) (iota 4)) ks
  let xss = scatter (replicate (n + 2) (replicate 4 7)) (map (+ 1) (iota n)) rows
  in wrong (flatten xss) (\i -> if i < 4 || i >= 4 * (n + 1) then 7 else i - 4)

entry beyond (n: i64) (k: i64) : i64 =
  let xs = scatter (replicate n 7) (map (+ k) (iota n)) (iota n)
  in wrong xs (\i -> if i - k >= 0 && i - k < n then i - k else 7)
