-- A sparse matrix times a vector: the rows are a sequence of arrays of differing sizes.
-- ==
-- entry: agree
-- nobench input { 50i64 9i64 } output { true }
-- nobench input { 0i64 9i64 } output { true }

-- ==
-- entry: sequences arrays
-- "2M of 9" notest script input { matrix 222222i64 9i64 }
-- "32M of 32" notest script input { matrix 1000000i64 32i64 }
-- "32M of 154" notest script input { matrix 207792i64 154i64 }

def hash (i: i64) : i64 =
  let x = (i ^ (i >> 31)) * 0x7fb5d329728ea185 in (x ^ (x >> 27)) & 0x7fffffff

-- Sizes of rows, columns, values, and the vector.
entry matrix (n: i64) (mean: i64) : ?[m].([n]i64, [m]i32, [m]f32, [n]f32) =
  let sizes = map (\i -> mean / 2 + hash i % (mean + 1)) (iota n)
  let m = i64.sum sizes
  in ( sizes
     , map (\i -> i32.i64 (hash i % i64.max 1 n)) (iota m)
     , map (\i -> f32.i64 (hash (i + m) % 8)) (iota m)
     , map (\i -> f32.i64 (i % 16)) (iota n)
     )

entry sequences [n] [m] (sizes: [n]i64) (columns: [m]i32) (values: [m]f32) (x: [n]f32) : []f32 =
  seq.of_segments sizes (zip columns values)
  |> seq.map (\row -> f32.sum (map (\(c, v) -> v * x[c]) row))
  |> seq.to_array

entry arrays [n] [m] (sizes: [n]i64) (columns: [m]i32) (values: [m]f32) (x: [n]f32) : []f32 =
  let ends = scan (+) 0 sizes
  in map2 (\size end ->
             f32.sum (map2 (\c v -> v * x[c]) columns[end - size:end] values[end - size:end]))
          sizes
          ends

entry agree (n: i64) (mean: i64) : bool =
  let (sizes, columns, values, x) = matrix n mean
  let (a, b) = (sequences sizes columns values x, arrays sizes columns values x)
  in length a == n && and (map2 (==) (a :> [n]f32) (b :> [n]f32))
