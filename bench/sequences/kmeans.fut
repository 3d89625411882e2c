-- A step of k-means: the sums and counts of the points that are closest to each centre.
-- ==
-- entry: agree
-- nobench input { 1000i64 } output { true }

-- ==
-- entry: sequences arrays
-- "4M points" notest script input { points 4000000i64 }

entry points (n: i64) : ([n][2]f32, [8][2]f32) =
  ( tabulate_2d n 2 (\i j -> f32.i64 ((i * 7919 + j * 104729) % 1000))
  , tabulate_2d 8 2 (\i j -> f32.i64 ((i * 131 + j * 57) % 1000))
  )

def closest (centres: [8][2]f32) (p: [2]f32) : i64 =
  let distance (c: [2]f32) = (c[0] - p[0]) * (c[0] - p[0]) + (c[1] - p[1]) * (c[1] - p[1])
  let (best, _) =
    loop (best, least) = (0, distance centres[0]) for i < 8 do
      let d = distance centres[i] in if d < least then (i, d) else (best, least)
  in best

def add (a: i64, b: i64, c: i64) (d: i64, e: i64, f: i64) = (a + d, b + e, c + f)

entry sequences [n] (points: [n][2]f32) (centres: [8][2]f32) : ([8]i64, [8]i64, [8]i64) =
  seq.of_rows points
  |> seq.map (\p -> (closest centres p, (i64.f32 p[0], i64.f32 p[1], 1)))
  |> seq.hist add (0, 0, 0) 8
  |> unzip3

entry arrays [n] (points: [n][2]f32) (centres: [8][2]f32) : ([8]i64, [8]i64, [8]i64) =
  unzip3 (hist add
               (0, 0, 0)
               8
               (map (closest centres) points)
               (map (\p -> (i64.f32 p[0], i64.f32 p[1], 1)) points))

entry agree (n: i64) : bool =
  let (ps, cs) = points n
  let ((a, b, c), (d, e, f)) = (sequences ps cs, arrays ps cs)
  in and (map2 (==) a d) && and (map2 (==) b e) && and (map2 (==) c f)
