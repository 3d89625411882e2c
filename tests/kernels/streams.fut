-- Streams: a thread for each chunk, and accumulators that are arrays.

-- ==
-- entry: counted
-- input { 3i64 0i64 } output { [0i64, 0i64, 0i64] }
-- input { 3i64 10i64 } output { [4i64, 3i64, 3i64] }
-- input { 4i64 70001i64 } output { [17501i64, 17500i64, 17500i64, 17500i64] }
entry counted (k: i64) (n: i64) : [k]i64 =
  (stream.red_comm (map2 (+))
                   (\m (acc: *[k]i64) (c: [m]i64) ->
                      ( loop acc for i < m do
                          let at = c[i] % k
                          in acc with [at] = acc[at] + 1
                      , replicate m ()
                      ))
                   (replicate k 0)
                   (iota n)).0

-- ==
-- entry: last
-- input { 0i64 } output { -1i64 0i64 }
-- input { 70001i64 } output { 70000i64 70001i64 }

-- An operator that is not commutative.
entry last (n: i64) : (i64, i64) =
  (stream.red (\(a, i) (b, j) -> (if j == 0 then a else b, i + j))
              (\m (_, _) (c: [m]i64) -> ((c[m - 1], m), replicate m ()))
              (-1, 0)
              (iota n)).0

-- ==
-- entry: mapped
-- input { 0i64 } output { 0i64 }
-- input { 65537i64 } output { 6442876933i64 }

-- Array results, and a rest.
entry mapped (n: i64) : i64 =
  i64.sum (stream.map (\m (c: [m]i64) ->
                         let out = replicate m (5 + 3 * c[0])
                         in loop out for i in 1..<m do out with [i] = out[i - 1] + 3)
                      (iota n))

-- ==
-- entry: rows
-- input { 3i64 0i64 } output { [[0i64, 0i64], [0i64, 0i64], [0i64, 0i64]] [0i64, 0i64, 0i64] }
-- input { 3i64 700i64 } output { [[81783i64, 234i64], [81317i64, 233i64], [81550i64, 233i64]] [234i64, 0i64, 233i64] }

-- Rows are added to rows, and some elements contribute nothing.
entry rows (k: i64) (n: i64) : ([k][2]i64, [k]i64) =
  (stream.red (\(a, b) (c, d) -> (map2 (map2 (+)) a c, map2 (+) b d))
              (\m (acc: *([k][2]i64, [k]i64)) (c: [m]i64) ->
                 ( loop (sums, counts) = acc for i < m do
                     let at = c[i] % k
                     let row = [c[i], 1]
                     let sums = sums with [at] = map2 (+) sums[at] row
                     let counts = if at == 1 then counts else counts with [at] = counts[at] + 1
                     in (sums, counts)
                 , replicate m ()
                 ))
              (replicate k [0, 0], replicate k 0)
              (iota n)).0

-- ==
-- entry: largest
-- input { 3i64 0i64 } output { [-1i64, -1i64, -1i64] }
-- input { 3i64 70000i64 } output { [69999i64, 69997i64, 69998i64] }

-- A function that looks at its accumulator has one of its own.
entry largest (k: i64) (n: i64) : [k]i64 =
  (stream.red (map2 i64.max)
              (\m (acc: *[k]i64) (c: [m]i64) ->
                 ( loop acc for i < m do
                     let at = c[i] % k
                     in if acc[at] < c[i] then acc with [at] = c[i] else acc
                 , replicate m ()
                 ))
              (replicate k (-1))
              (iota n)).0

-- ==
-- entry: inner
-- input { 0i64 5i64 } output { empty([0]i64) }
-- input { 3i64 0i64 } output { [1i64, 2i64, 3i64] }
-- input { 3i64 70i64 } output { [2416i64, 4832i64, 7248i64] }
-- entry: prefixes
-- input { 2i64 5i64 } output { [[1i64, 2i64, 4i64, 7i64, 11i64], [2i64, 3i64, 5i64, 8i64, 12i64]] }
-- input { 1i64 20i64 }
-- output { [[1i64, 2i64, 4i64, 7i64, 11i64, 16i64, 22i64, 29i64, 37i64, 46i64, 56i64, 67i64, 79i64, 92i64, 106i64, 121i64, 137i64, 154i64, 172i64, 191i64]] }
-- entry: inner_bins
-- input { 2i64 40i64 3i64 } output { [[14i64, 13i64, 13i64], [13i64, 14i64, 13i64]] }

-- Sequential streams in threads: of single elements, with array results, and with accumulators that are arrays.
entry inner (n: i64) (m: i64) : [n]i64 =
  tabulate n (\i ->
                (stream.seq (\k acc (c: [k]i64) ->
                               (acc + i64.sum (map (* (i + 1)) c), replicate k ()))
                            (i + 1)
                            (iota m)).0)

entry prefixes (n: i64) (m: i64) : [n][m]i64 =
  tabulate n (\i ->
                (stream.seq (\k acc (c: [k]i64) ->
                               let sums = map (+ acc) (scan (+) 0 c)
                               in (sums[k - 1], sums))
                            (i + 1)
                            (iota m)).1)

entry inner_bins (n: i64) (m: i64) (b: i64) : [n][b]i64 =
  tabulate n (\i ->
                (stream.seq (\k (acc: *[b]i64) (c: [k]i64) ->
                               ( loop acc for j < k do
                                   let at = (c[j] + i) % b
                                   in acc with [at] = acc[at] + 1
                               , replicate k ()
                               ))
                            (replicate b 0)
                            (iota m)).0)
