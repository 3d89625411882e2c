-- Threads that run short of memory are tried again: what they had changed until then is as it was.

-- A loop whose array grows: only the thread knows how much memory it needs, and the host begins with too little.
def grown (m: i64) : i64 =
  let xs = loop xs = [m] while length xs < m do xs ++ map (+ 1) xs
  in xs[length xs / 2]

-- ==
-- entry: accumulated
-- input { [0i64, 1i64, 2i64, 1i64] [10i64, 2000i64, 100i64, 3i64] [10, 20, 30] } output { [12, 23, 33] }
-- entry: counted
-- input { 600i64 2000i64 3i64 } output { [200i64, 200i64, 200i64] }

entry accumulated [n] [k] (is: [n]i64) (ms: [n]i64) (counts: *[k]i32) : [k]i32 =
  intrinsics.hist_stream counts
                         (+)
                         0
                         (\(acc: *intrinsics.acc ([k]i32)) (i, m) ->
                            let acc = intrinsics.acc_write acc i 1
                            in intrinsics.acc_write acc (grown m % k) 1)
                         (zip is ms)

-- A histogram: blocks add what they have although some of their threads have ended.
entry counted (n: i64) (m: i64) (k: i64) : [k]i64 =
  reduce_by_index (replicate k 0)
                  (+)
                  0
                  (tabulate n (\i -> i % k))
                  (tabulate n (\i -> grown (if i == 300 then m else 2) / (m * 10) + 1))

-- ==
-- entry: in_place
-- input { [0i64, 10i64, 2000i64, 3i64] [1i64, 2i64, 3i64, 4i64] 1i64 } output { [1i64, 23i64, 2014i64, 18i64] }
entry in_place [n] (ms: [n]i64) (xs: *[n]i64) (k: i64) : [n]i64 =
  let part = map2 (\x m -> 10 + x + grown m) xs[k:] (ms[k:] :> [n - k]i64)
  let xs[k:] = part
  in xs
