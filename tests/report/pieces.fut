-- A sequence whose elements differ in size, and one that is asked for in the function of a map.

entry flat (xs: seq i32) : i32 =
  seq.reduce (+) 0 (seq.flat_map (\x -> replicate (i64.i32 (x % 3)) x) xs)

entry inside (c: [4]i32) (xs: seq i32) : [4]i32 =
  map (\y -> seq.reduce (+) 0 (seq.map (* y) xs)) c

entry ahead (xs: seq i32) (ys: seq i32) : i32 =
  seq.reduce (+) 0 (seq.map2 (*) (seq.filter (> 0) xs) ys)
