-- Accumulators: positions contribute to arrays in any order, each of them as often as it likes.

-- ==
-- entry: counted
-- input { 3i64 0i64 } output { [0i64, 0i64, 0i64] }
-- input { 3i64 10i64 } output { [24i64, 3i64, 3i64] }
-- input { 4i64 70001i64 } output { [157503i64, 17500i64, 17500i64, 17500i64] }

-- Each position adds to its own place and to the first.
entry counted (k: i64) (n: i64) : [k]i64 =
  intrinsics.hist_stream (replicate k 0)
                         (+)
                         0
                         (\(acc: *intrinsics.acc ([k]i64)) i ->
                            intrinsics.acc_write (intrinsics.acc_write acc (i % k) 1) 0 2)
                         (iota n)

-- ==
-- entry: largest
-- input { 5i64 20000i64 } output { [19995i64, 19996i64, 19997i64, 19998i64, 19999i64] [3999i64, 3999i64, 3999i64, 3999i64, 3999i64] }

-- The operator is one of pairs, for which there is no single instruction.
entry largest (k: i64) (n: i64) : ([k]i64, [k]i64) =
  unzip (intrinsics.hist_stream (replicate k (-1, -1))
                                (\(a, i) (b, j) ->
                                   if a > b || (a == b && i > j) then (a, i) else (b, j))
                                (-1, -1)
                                (\(acc: *intrinsics.acc ([k](i64, i64))) i ->
                                   intrinsics.acc_write acc (i % k) (i, i / k))
                                (iota n))

-- ==
-- entry: rows
-- input { [2i64, 0i64, 3i64] } output { [0i64, 0i64, 2i64, 2i64, 2i64] }
-- input { empty([0]i64) } output { empty([0]i64) }

-- Each position writes as many elements as it likes.
entry rows [n] (sizes: [n]i64) : []i64 =
  let total = i64.sum sizes
  let ends = scan (+) 0 sizes
  in intrinsics.scatter_stream (replicate total 9)
                               (\(acc: *intrinsics.acc ([total]i64)) i ->
                                  loop acc for j < sizes[i] do
                                    intrinsics.acc_write acc (ends[i] - 1 - j) i)
                               (iota n)

-- ==
-- entry: pieces
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }

-- The pieces of a flatmap are in order, also if they are empty, and if their sizes are only known when they have been computed.
entry pieces (n: i64) : bool =
  let hash (i: i64) = (i * 7919 + 13) % 101
  let (sizes, flags, offsets, values, seconds) =
    flatmap (\i -> (filter (\j -> j % 3 == 0) (map (+ i) (iota (hash i % 7))), i * 2)) (iota n)
  let expected i = length (filter (\j -> (j + i) % 3 == 0) (iota (hash i % 7)))
  in and (map2 (==) sizes (map expected (iota n)))
     && and (map2 (\i s -> i * 2 == s) (iota n) seconds)
     && i64.sum sizes == length values
     && length (filter id flags) == length (filter (> 0) sizes)
     && and (map2 (\o s -> s == 0 || flags[o]) offsets sizes)
     && and (map3 (\i o s ->
                     all (\k ->
                            values[o + k] % 3 == 0
                            && values[o + k] >= i
                            && (k == 0 || values[o + k - 1] < values[o + k]))
                         (iota s))
                  (iota n)
                  offsets
                  sizes)

-- ==
-- entry: pieces_of_rows
-- input { [2i64, 0i64, 1i64] } output { [[0i64, 0i64], [1i64, 10i64], [0i64, 0i64]] [0i64, 0i64, 2i64] }

-- Elements that are rows or pairs.
entry pieces_of_rows [n] (sizes: [n]i64) : ([][2]i64, []i64) =
  let (_, _, _, values) = flatmap' (\i -> map (\j -> ([j, 10 * j], i)) (iota sizes[i])) (iota n)
  in unzip values

-- ==
-- entry: large_elements
-- input { [2000i64, 10i64, 2000i64] } output { [3000i64, 3015i64, 6015i64] }

-- The threads of a scan need more memory than they get at first.
entry large_elements [n] (sizes: [n]i64) : [n]i64 =
  scan (+) 0 (map2 (\i size ->
                      let some = filter (\j -> (j + i) % 2 == 0) (map (* 3) (iota size))
                      in some[length some / 2])
                   (iota n)
                   sizes)
