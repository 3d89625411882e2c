-- Sequences: every operator, with elements of one size and of differing sizes. Results are the same however a sequence is cut.
-- ==
-- entry: sources
-- input { 3i64 [1, 2, 3, 4] } output { [1, 2, 3, 4] [3i64, 7i64] [0i64, 1i64, 4i64] [0i64, 1i64, 2i64] }
-- input { 0i64 empty([0]i32) } output { empty([0]i32) empty([0]i64) empty([0]i64) empty([0]i64) }

-- ==
-- entry: segments
-- input { [2i64, 0i64, 3i64] [1, 2, 3, 4, 5, 6] } output { [3, 0, 12] [2i64, 0i64, 3i64] [2, 3, 4, 5, 6] }
-- input { empty([0]i64) empty([0]i32) } output { empty([0]i32) empty([0]i64) empty([0]i32) }
-- input { [2i64, 5i64] [1, 2, 3, 4, 5, 6] } error: pieces
-- input { [2i64, -1i64] [1, 2, 3, 4, 5, 6] } error: pieces

-- ==
-- entry: in_step
-- input { [1, 2, 3] [10, 20, 30] } output { [11, 22, 33] [10, 40, 90] [1, 2, 3] [10, 20, 30] [0i64, 1i64, 2i64] }
-- input { [1, 2] [10, 20, 30] } error: different lengths

-- ==
-- entry: rates
-- input { [3, 1, 4, 1, 5, 9, 2, 6] } output { [3, 4, 5, 9, 6] [0i64, 2i64, 4i64, 5i64, 7i64] [3, 3, 3, 1, 4, 4, 4, 4] 31 }

-- ==
-- entry: differing
-- input { [0i64, 3i64, 1i64, 4i64] } output { [3i64, 4i64] [0i64, 1i64, 2i64, 0i64, 1i64, 2i64, 3i64] [0i64, 3i64, 0i64, 6i64] 2i64 [4i64, 7i64] }

-- ==
-- entry: scans
-- input { [1, 2, 3, 4, 5] } output { [1, 3, 6, 10, 15] [1, 3, 5, 7, 9] 15 5 }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) -1 -1 }

-- ==
-- entry: windows
-- input { 3i64 1i64 [1, 2, 3, 4, 5] } output { [[1, 2, 3], [2, 3, 4], [3, 4, 5]] }
-- input { 2i64 3i64 [1, 2, 3, 4, 5, 6, 7, 8] } output { [[1, 2], [4, 5], [7, 8]] }
-- input { 3i64 2i64 [1, 2, 3, 4, 5, 6] } output { [[1, 2, 3], [3, 4, 5]] }
-- input { 3i64 2i64 [1, 2] } output { empty([0][3]i32) }
-- input { 0i64 2i64 [1, 2] } error: windows_have_elements

-- ==
-- entry: groups
-- input { 2i64 [1, 2, 3, 4, 5, 6] } output { [[1, 2], [3, 4], [5, 6]] }
-- input { 4i64 [1, 2, 3, 4, 5, 6] } error: length_is_a_multiple
-- input { 4i64 empty([0]i32) } output { empty([0][4]i32) }

-- ==
-- entry: neighbours
-- input { [1, 1, 2, 3, 3, 3] } output { [2i64, 1i64, 3i64] [1, 1, 2, 3, 3, 3] }
-- input { empty([0]i32) } output { empty([0]i64) empty([0]i32) }

-- ==
-- entry: folds
-- input { [3, 1, 4, 1, 5] } output { 14 14 60 [0i64, 2i64, 0i64, 1i64] 5i64 true false 14 1 5 3i64 }
-- input { empty([0]i32) } output { 0 0 1 [0i64, 0i64, 0i64, 0i64] 0i64 true false 0 2147483647 -2147483648 0i64 }

-- ==
-- entry: arrays
-- input { 2i64 [2i64, 2i64] [1, 2, 3, 4] } output { [[1, 2], [3, 4]] [1, 2, 3, 4] }
-- input { 2i64 [2i64, 1i64] [1, 2, 3] } error: 2

-- ==
-- entry: passed
-- input { [1, 2, 3] } output { 6 14 [2, 4, 6] }

entry sources (n: i64) (xs: []i32) : (seq i32, seq i64, seq i64, seq i64) =
  ( seq.of_array xs
  , seq.map (\row -> i64.sum (map i64.i32 row))
            (seq.of_rows (unflatten (sized (length xs / 2 * 2) (xs[:length xs / 2 * 2]))))
  , seq.generate n (\i -> i * i)
  , seq.iota n
  )

entry segments (sizes: []i64) (values: []i32) : (seq i32, seq ([]i32)) =
  let s = seq.of_segments sizes values
  in (seq.map i32.sum s, seq.map (map (+ 1)) s)

entry in_step (xs: seq i32) (ys: seq i32) : (seq i32, seq i32, seq i32, seq i32, seq i64) =
  let pairs = seq.zip xs ys
  let (as, bs) = seq.unzip pairs
  in ( seq.map (\(x, y) -> x + y) pairs
     , seq.map2 (*) xs ys
     , as
     , bs
     , seq.map (.0) (seq.enumerate xs)
     )

entry rates (xs: seq i32) : (seq i32, seq i64, seq i32, i32) =
  let large = seq.filter (> 2) xs |> seq.filter (\x -> x != 7)
  let places = xs |> seq.enumerate |> seq.filter (\(_, x) -> x > 2) |> seq.map (.0)
  let repeated = xs |> seq.flat_map (\x -> replicate (i64.i32 x) x)
  in ( large
     , places
     , repeated |> seq.enumerate |> seq.filter (\(i, _) -> i < 8) |> seq.map (.1)
     , seq.reduce (+) 0 xs
     )

entry differing (ns: seq i64) : ([]i64, []i64, seq i64, i64, seq i64) =
  let rows = seq.map (\n -> iota n) ns
  let long = seq.filter (\row -> length row > 1) rows
  let pairs = seq.map (\row -> (row, map (* 2) row)) long
  in ( seq.to_array (seq.map length long)
     , seq.elements long
     , seq.map i64.sum rows
     , seq.length pairs
     , seq.map (\(a, b) -> a[1] + b[1] + (if length b > 3 then b[2] else 1)) pairs
     )

entry scans (xs: seq i32) : (seq i32, seq i32, i32, i32) =
  let sums = seq.scan (+) 0 xs
  in ( sums
     , seq.map2 (\s x -> s - (s - x) + x - 1) sums xs
     , seq.last (-1) sums
     , seq.last (-1) xs
     )

entry windows (k: i64) (step: i64) (xs: seq i32) : [][k]i32 = seq.to_array (seq.windows k step xs)

entry groups (k: i64) (xs: seq i32) : [][k]i32 = seq.to_array (seq.group k xs)

entry neighbours (xs: seq i32) : seq ([]i32) = seq.group_by (==) xs

entry folds (xs: seq i32) : (i32, i32, i32, []i64, i64, bool, bool, i32, i32, i32, i64) =
  ( seq.reduce (+) 0 xs
  , seq.reduce_comm (+) 0 xs
  , seq.fold (\s k (chunk: [k]i32) -> s * i32.product chunk) 1 xs
  , seq.hist (+) 0 4 (seq.map (\x -> (i64.i32 x, 1)) xs)
  , seq.length xs
  , seq.all (> 0) xs
  , seq.any (> 9) xs
  , seq.last 0 (seq.scan (+) 0 xs)
  , seq.minimum (<=) i32.highest xs
  , seq.maximum (<=) i32.lowest xs
  , seq.count (> 2) xs
  )

entry arrays (k: i64) (sizes: []i64) (values: []i32) : ([][k]i32, []i32) =
  let s = seq.of_segments sizes values
  in (seq.tabulate k s, seq.elements s)

-- Sequences in records, passed to functions and returned by them.
def doubled (s: {xs: seq i32, factor: i32}) : {xs: seq i32, factor: i32} =
  s with xs = seq.map (* s.factor) s.xs

def total (s: seq i32) = seq.reduce (+) 0 s

entry passed (xs: seq i32) : (i32, i32, seq i32) =
  (total xs, total (seq.map (\x -> x * x) xs), (doubled {xs, factor = 2}).xs)
