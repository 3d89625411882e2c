-- Nests whose inner operators have another width at each position.

def offsets [l] (ns: [l]i64) : [l]i64 = map2 (-) (scan (+) 0 ns) ns

-- Rows that are longer and longer, or empty.
entry sums [l] (ns: [l]i64) : [l]i64 =
  map (\n -> i64.sum (map (\i -> i * i % 7) (iota n))) ns

-- A reduction whose order matters.
entry last_of [l] (ns: [l]i64) : [l]i64 =
  map (\n -> reduce (\a b -> if b < 0 then a else b) (-1) (map (\i -> if i % 3 == 1 then -1 else i) (iota n))) ns

-- A scan and what is made of it.
entry peaks [l] (ns: [l]i64) (xs: []i64) : [l]i64 =
  map2 (\n o -> let ys = scan (+) 0 (map (\i -> xs[(o + i) % 13]) (iota n))
                in i64.maximum (map2 (\y i -> y * (i % 5 - 2)) ys (iota n)))
       ns (offsets ns)

-- An outer reduction of inner ones.
entry total [l] (ns: [l]i64) : i64 =
  i64.sum (map (\n -> i64.product (map (\i -> 1 + i % 2) (iota n))) ns)

-- Two and three levels.
entry two [l] (ns: [l]i64) : [l]i64 =
  map (\n -> i64.sum (map (\i -> i * i64.sum (map (\j -> i + j * n) (iota i))) (iota n))) ns

entry three [l] (ns: [l]i64) : [l]i64 =
  map (\n -> i64.maximum (map (\i -> i64.sum (map (\j -> i64.sum (map (\k -> k * n + i - j) (iota (j % 3)))) (iota i))) (iota n))) ns

-- Arrays of arrays inside.
entry triangles [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let rows = map (\i -> map (\j -> i * j + n) (iota n)) (iota n)
             in i64.sum (map i64.maximum rows) + i64.sum (map (\r -> r[0]) rows)) ns

-- Regular arrays inside of irregular ones.
entry pairs [l] (ns: [l]i64) : [l][2]i64 =
  map (\n -> let ps = map (\i -> [i, n - i]) (iota n)
             in [i64.sum (map (\p -> p[0] * p[1]) ps), i64.sum (map (\p -> p[0] - p[1]) ps)]) ns

-- Filters and partitions.
entry evens [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let es = filter (\x -> x % 2 == 0) (map (\i -> i * i % 11) (iota n))
             in length es * 1000 + i64.sum es) ns

entry classes [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let (as, bs, cs) = partition2 (\x -> x % 3 == 0) (\x -> x % 3 == 1) (map (\i -> i * i % 11) (iota n))
             let weigh xs = i64.sum (map2 (*) xs (indices xs))
             in weigh as + 100 * weigh bs + 10000 * weigh cs) ns

-- What a row begins and ends with.
entry joined [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = replicate n 3 ++ map (+n) (iota 2) ++ iota n
             in i64.sum (map2 (*) xs (indices xs))) ns

-- Slices of slices.
entry middles [l] (ns: [l]i64) (xs: []i64) : [l]i64 =
  map2 (\n o -> let row = map (\i -> xs[(o + i) % 13]) (iota n)
                let mid = row[n / 4: n - n / 4]
                in i64.sum mid - i64.sum (reverse mid)[0: length mid / 2]) ns (offsets ns)

-- Parallel code in branches that only some take.
entry branches [l] (ns: [l]i64) : [l]i64 =
  map (\n -> if n % 2 == 0 then i64.sum (map (\i -> i * n) (iota n))
             else if n % 3 == 0 then i64.product (map (\i -> 1 + i % 2) (iota (n / 2)))
             else -n) ns

-- Arrays from branches.
entry chosen [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = if n % 2 == 0 then map (*n) (iota n) else iota (2 * n + 1)
             in i64.sum (map (\x -> x % 10) xs)) ns

-- Loops with trip counts of their own around parallel code.
entry repeated [l] (ns: [l]i64) : [l]i64 =
  map (\n -> loop acc = 1 for k < n % 5 do (acc + i64.sum (map (\i -> i * acc % 17) (iota (n + k)))) % 1009) ns

entry until [l] (ns: [l]i64) : [l](i64, i64) =
  map (\n -> loop (x, steps) = (n, 0) while x > 0 do (i64.sum (map (\i -> i % 2) (iota x)), steps + 1)) ns

-- Checks inside.
entry checked [l] (ns: [l]i64) (xs: []i64) : [l]i64 =
  map (\n -> i64.sum (map (\i -> xs[i]) (iota n))) ns

-- Sparse matrix times vector.
entry spmv [l] [m] (ends: [l]i64) (cols: [m]i64) (vals: [m]f64) (x: []f64) : [l]f64 =
  tabulate l (\i -> let from = if i == 0 then 0 else ends[i - 1]
                    in f64.sum (map2 (\c v -> v * x[c]) cols[from: ends[i]] vals[from: ends[i]]))

-- Histograms and writes of rows, into arrays of their own.
entry digits [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let bins = reduce_by_index (replicate 10 0) (+) 0 (map (\i -> i * i % 10) (iota n)) (iota n)
             in i64.sum (map2 (*) bins (iota 10))) ns

entry spread [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let bins = reduce_by_index (replicate n 1) i64.max 0 (map (\i -> i * 3 % (n + 2)) (iota n)) (iota n)
             let bins = scatter bins (map (\i -> i * 2) (iota n)) (replicate n 5)
             in i64.sum (map2 (*) bins (indices bins))) ns

-- One of several cases.
entry cases [l] (ns: [l]i64) : [l]i64 =
  map (\n -> match n % 4
             case 0 -> i64.sum (iota n)
             case 1 -> i64.product (map (\i -> 1 + i % 2) (iota n))
             case 2 -> n
             case _ -> i64.sum (map (\i -> i * i) (iota (2 * n)))) ns

-- Rows that change in loops.
entry smoothed [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = loop xs = map (\i -> i * i % 7) (iota n) for k < 3 do map (\i -> xs[i] + k * xs[(i + 1) % n]) (iota n)
             in i64.sum xs) ns

entry relaxed [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let (xs, _) = loop (xs, k) = (iota n, 0) while i64.sum xs > n && k < 4 do (map (\x -> x / 2 + k % 2) xs, k + 1)
             in i64.sum (map2 (*) xs (indices xs))) ns

entry rounds [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = loop xs = iota n for k < n % 3 do map (\x -> x * x % 11 + k) (reverse xs)
             in i64.sum (map2 (*) xs (indices xs))) ns

-- ==
-- entry: sums
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [5i64, 0i64, 14i64, 0i64, 0i64, 0i64, 23i64, 7i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [127i64, 5i64] }

-- ==
-- entry: last_of
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [2i64, -1i64, 6i64, 0i64, -1i64, -1i64, 11i64, 3i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [-1i64, -1i64] }
-- input { [65i64, 3i64] }
-- output { [63i64, 2i64] }

-- ==
-- entry: two
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [15i64, 0i64, 1666i64, 0i64, 0i64, 0i64, 27456i64, 80i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [142027600i64, 15i64] }

-- ==
-- entry: three
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [1i64, -9223372036854775808i64, 31i64, 0i64, -9223372036854775808i64, -9223372036854775808i64, 94i64, 8i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [-9223372036854775808i64, -9223372036854775808i64] }
-- input { [65i64, 3i64] }
-- output { [3402i64, 1i64] }

-- ==
-- entry: triangles
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [24i64, 0i64, 224i64, 2i64, 0i64, 0i64, 1014i64, 50i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [141570i64, 24i64] }

-- ==
-- entry: pairs
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [[4i64, -3i64], [0i64, 0i64], [56i64, -7i64], [0i64, -1i64], [0i64, 0i64], [0i64, 0i64], [286i64, -12i64], [10i64, -4i64]] }
-- input { empty([0]i64) }
-- output { empty([0][2]i64) }
-- input { [0i64, 0i64] }
-- output { [[0i64, 0i64], [0i64, 0i64]] }
-- input { [65i64, 3i64] }
-- output { [[45760i64, -65i64], [4i64, -3i64]] }

-- ==
-- entry: evens
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [2004i64, 0i64, 2004i64, 1000i64, 0i64, 0i64, 4008i64, 2004i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [18048i64, 2004i64] }

-- ==
-- entry: classes
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [400i64, 0i64, 424i64, 0i64, 0i64, 0i64, 51560i64, 409i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [3368860i64, 400i64] }

-- ==
-- entry: joined
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [54i64, 1i64, 456i64, 5i64, 1i64, 1i64, 1941i64, 109i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [1i64, 1i64] }
-- input { [65i64, 3i64] }
-- output { [243621i64, 54i64] }

-- ==
-- entry: branches
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [1i64, 0i64, -7i64, -1i64, 0i64, 0i64, 792i64, 24i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [-65i64, 1i64] }

-- ==
-- entry: chosen
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [21i64, 0i64, 55i64, 3i64, 0i64, 0i64, 42i64, 14i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [585i64, 21i64] }

-- ==
-- entry: repeated
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [70i64, 1i64, 77i64, 1i64, 1i64, 1i64, 193i64, 142i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [1i64, 1i64] }
-- input { [65i64, 3i64] }
-- output { [1i64, 70i64] }

-- ==
-- entry: until
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64] [2i64, 0i64, 3i64, 1i64, 0i64, 0i64, 4i64, 3i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [0i64, 0i64] [7i64, 2i64] }

-- ==
-- entry: total
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { 82i64 }
-- input { empty([0]i64) }
-- output { 0i64 }
-- input { [0i64, 0i64] }
-- output { 2i64 }
-- input { [65i64, 3i64] }
-- output { 4294967298i64 }

-- ==
-- entry: digits
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [9i64, 0i64, 121i64, 0i64, 0i64, 0i64, 236i64, 36i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [9360i64, 9i64] }

-- ==
-- entry: spread
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [12i64, 0i64, 78i64, 0i64, 0i64, 0i64, 300i64, 20i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [38314i64, 12i64] }

-- ==
-- entry: cases
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [55i64, 0i64, 819i64, 1i64, 0i64, 0i64, 66i64, 6i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [4294967296i64, 55i64] }

-- ==
-- entry: smoothed
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [30i64, 0i64, 84i64, 0i64, 0i64, 0i64, 138i64, 42i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [762i64, 30i64] }

-- ==
-- entry: relaxed
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [5i64, 0i64, 15i64, 0i64, 0i64, 0i64, 60i64, 5i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [7240i64, 5i64] }

-- ==
-- entry: rounds
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [5i64, 0i64, 61i64, 0i64, 0i64, 0i64, 506i64, 6i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }
-- input { [65i64, 3i64] }
-- output { [10727i64, 5i64] }

-- ==
-- entry: peaks
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] [3i64,1i64,4i64,1i64,5i64,9i64,2i64,6i64,5i64,3i64,5i64,8i64,9i64] }
-- output { [0i64, -9223372036854775808i64, 46i64, -10i64, -9223372036854775808i64, -9223372036854775808i64, 96i64, 25i64] }

-- ==
-- entry: middles
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] [3i64,1i64,4i64,1i64,5i64,9i64,2i64,6i64,5i64,3i64,5i64,8i64,9i64] }
-- output { [4i64, 0i64, 16i64, 5i64, 0i64, 0i64, 6i64, 8i64] }

-- ==
-- entry: checked
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] [3i64,1i64,4i64,1i64,5i64,9i64,2i64,6i64,5i64,3i64,5i64,8i64,9i64] }
-- output { [8i64, 0i64, 25i64, 3i64, 0i64, 0i64, 52i64, 9i64] }
-- input { [3i64, 0i64, 17i64] [3i64,1i64,4i64,1i64,5i64,9i64,2i64,6i64,5i64,3i64,5i64,8i64,9i64] }
-- error: out of bounds

-- ==
-- entry: spmv
-- input { [2i64,2i64,6i64] [0i64,1i64,2i64,0i64,1i64,2i64] [0.1,0.6,0.7,0.8,0.2,0.9] [1f64,2f64,4f64] }
-- output { [1.3f64, 0f64, 7.5999999999999996f64] }
