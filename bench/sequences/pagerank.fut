-- A step of PageRank over a list of edges.
-- ==
-- entry: agree
-- nobench input { 100i64 1000i64 } output { true }

-- ==
-- entry: sequences arrays
-- "1M pages, 16M links" notest script input { links 1000000i64 16777216i64 }

def hash (i: i64) : i64 =
  let x = (i ^ (i >> 31)) * 0x7fb5d329728ea185 in (x ^ (x >> 27)) & 0x7fffffff

-- Sources and targets, and what each page gives to each of the pages that it links to.
entry links (n: i64) (m: i64) : ([m]i32, [m]i32, [n]f32) =
  ( map (\i -> i32.i64 (hash i % n)) (iota m)
  , map (\i -> i32.i64 (hash (i + m) % n)) (iota m)
  , map (\i -> f32.i64 (i % 8)) (iota n)
  )

entry sequences [n] [m] (from: [m]i32) (to: [m]i32) (share: [n]f32) : [n]f32 =
  seq.hist (+) 0 n (seq.map2 (\a b -> (i64.i32 b, share[a])) (seq.of_array from) (seq.of_array to))

entry arrays [n] [m] (from: [m]i32) (to: [m]i32) (share: [n]f32) : [n]f32 =
  hist (+) 0 n (map i64.i32 to) (map (\a -> share[a]) from)

entry agree (n: i64) (m: i64) : bool =
  let (from, to, share) = links n m
  in and (map2 (==) (sequences from to share) (arrays from to share))
