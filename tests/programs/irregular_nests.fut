-- Nests whose inner operators have another width at each position.

def offsets [l] (ns: [l]i64) : [l]i64 = map2 (-) (scan (+) 0 ns) ns

-- Rows that are longer and longer, or empty.
entry sums [l] (ns: [l]i64) : [l]i64 =
  map (\n -> i64.sum (map (\i -> i * i % 7) (iota n))) ns

-- A scan and what is made of it.
entry peaks [l] (ns: [l]i64) (xs: []i64) : [l]i64 =
  map2 (\n o -> let ys = scan (+) 0 (map (\i -> xs[(o + i) % 13]) (iota n))
                in i64.maximum (map2 (\y i -> y * (i % 5 - 2)) ys (iota n)))
       ns (offsets ns)

-- Two levels.
entry two [l] (ns: [l]i64) : [l]i64 =
  map (\n -> i64.sum (map (\i -> i * i64.sum (map (\j -> i + j * n) (iota i))) (iota n))) ns

-- Arrays of arrays inside.
entry triangles [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let rows = map (\i -> map (\j -> i * j + n) (iota n)) (iota n)
             in i64.sum (map i64.maximum rows) + i64.sum (map (\r -> r[0]) rows)) ns

-- Filters.
entry evens [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let es = filter (\x -> x % 2 == 0) (map (\i -> i * i % 11) (iota n))
             in length es * 1000 + i64.sum es) ns

-- Arrays from branches.
entry chosen [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = if n % 2 == 0 then map (*n) (iota n) else iota (2 * n + 1)
             in i64.sum (map (\x -> x % 10) xs)) ns

-- A loop with a number of iterations of its own around parallel code.
entry until [l] (ns: [l]i64) : [l](i64, i64) =
  map (\n -> loop (x, steps) = (n, 0) while x > 0 do (i64.sum (map (\i -> i % 2) (iota x)), steps + 1)) ns

-- Checks inside.
entry checked [l] (ns: [l]i64) (xs: []i64) : [l]i64 =
  map (\n -> i64.sum (map (\i -> xs[i]) (iota n))) ns

-- Sparse matrix times vector.
entry spmv [l] [m] (ends: [l]i64) (cols: [m]i64) (vals: [m]f64) (x: []f64) : [l]f64 =
  tabulate l (\i -> let from = if i == 0 then 0 else ends[i - 1]
                    in f64.sum (map2 (\c v -> v * x[c]) cols[from: ends[i]] vals[from: ends[i]]))

-- A histogram and writes, into arrays of their own.
entry spread [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let bins = reduce_by_index (replicate n 1) i64.max 0 (map (\i -> i * 3 % (n + 2)) (iota n)) (iota n)
             let bins = scatter bins (map (\i -> i * 2) (iota n)) (replicate n 5)
             in i64.sum (map2 (*) bins (indices bins))) ns

-- Rows that change in loops.
entry smoothed [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = loop xs = map (\i -> i * i % 7) (iota n) for k < 3 do map (\i -> xs[i] + k * xs[(i + 1) % n]) (iota n)
             in i64.sum xs) ns

-- Single elements and slices of rows are updated.
entry updated [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = map (* 3) (iota n)
             let xs = if n > 2 then xs with [n / 2] = n else xs
             let xs = copy xs with [0: n / 3] = replicate (n / 3) 100
             in i64.sum (map2 (*) xs (indices xs))) ns

-- Rows that become shorter in loops, each in its own time.
entry halved [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let xs = loop xs = map (\i -> i * i % 10) (iota n) while length xs > 1 do
               let h = length xs / 2 in map2 (+) (xs[:h] :> [h]i64) (xs[h: 2 * h] :> [h]i64)
             in length xs * 1000 + i64.sum xs) ns

-- Rows in which less and less is left.
entry sieved [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let (ps, _) = loop (ps, xs) = ([], map (+ 2) (iota n)) while length xs > 0 do
               let p = xs[0] in (ps ++ [p], filter (\x -> x % p != 0) xs)
             in length ps * 1000 + i64.sum ps) ns

-- Irregular code inside the functions of writes and filters.
entry inside [l] (ns: [l]i64) : ([l]i64, [3]i64, []i64) =
  (scatter (replicate l 0) (map (\i -> (i + 1) % l) (iota l)) (map (\n -> i64.sum (iota n)) ns),
   hist (+) 0 3 (map (\n -> i64.sum (iota n) % 3) ns) (map (\n -> i64.maximum (map (% 4) (iota n)) % 5) ns),
   filter (\n -> i64.sum (map (% 3) (iota n)) % 2 == 0) ns)

-- Two sizes that differ, from branches and loops.
entry tables [l] (ns: [l]i64) : [l]i64 =
  map (\n -> let t = if n % 2 == 0 then tabulate_2d n (n + 1) (\i j -> i * j + n) else replicate n (iota 3)
             let t = loop t for _i < n % 3 do transpose (map (map (+ 1)) t)
             in i64.sum (map2 (\row i -> i * i64.sum row) t (indices t))) ns

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
-- entry: two
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [15i64, 0i64, 1666i64, 0i64, 0i64, 0i64, 27456i64, 80i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] }

-- ==
-- entry: triangles
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [24i64, 0i64, 224i64, 2i64, 0i64, 0i64, 1014i64, 50i64] }

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
-- entry: chosen
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [21i64, 0i64, 55i64, 3i64, 0i64, 0i64, 42i64, 14i64] }
-- input { [65i64, 3i64] }
-- output { [585i64, 21i64] }

-- ==
-- entry: until
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64, 0i64] [2i64, 0i64, 3i64, 1i64, 0i64, 0i64, 4i64, 3i64] }

-- ==
-- entry: spread
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [12i64, 0i64, 78i64, 0i64, 0i64, 0i64, 300i64, 20i64] }

-- ==
-- entry: smoothed
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [30i64, 0i64, 84i64, 0i64, 0i64, 0i64, 138i64, 42i64] }

-- ==
-- entry: peaks
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] [3i64,1i64,4i64,1i64,5i64,9i64,2i64,6i64,5i64,3i64,5i64,8i64,9i64] }
-- output { [0i64, -9223372036854775808i64, 46i64, -10i64, -9223372036854775808i64, -9223372036854775808i64, 96i64, 25i64] }

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

-- ==
-- entry: updated
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [15i64, 0i64, 364i64, 0i64, 0i64, 0i64, 2040i64, 38i64] }
-- input { [65i64, 3i64] }
-- output { [279718i64, 15i64] }

-- ==
-- entry: halved
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [1001i64, 0i64, 1016i64, 1000i64, 0i64, 0i64, 1032i64, 1014i64] }
-- input { [65i64, 3i64] }
-- output { [1284i64, 1001i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }

-- ==
-- entry: sieved
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [2005i64, 0i64, 4017i64, 1002i64, 0i64, 0i64, 6041i64, 3010i64] }
-- input { [65i64, 3i64] }
-- output { [18501i64, 2005i64] }

-- ==
-- entry: inside
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [6i64, 3i64, 0i64, 21i64, 0i64, 0i64, 0i64, 66i64] [17i64, 0i64, 0i64] [0i64, 7i64, 1i64, 0i64, 0i64, 12i64] }

-- ==
-- entry: tables
-- input { [3i64, 0i64, 7i64, 1i64, 0i64, 0i64, 12i64, 4i64] }
-- output { [9i64, 0i64, 56i64, 8i64, 0i64, 0i64, 49764i64, 380i64] }
-- input { [65i64, 3i64] }
-- output { [18720i64, 9i64] }
