-- Chunked computation gives the same result however the input is cut.
-- ==
-- entry: mapped
-- input { [1, 2, 3, 4, 5] } output { [2, 4, 6, 8, 10] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: reduced
-- input { [1, 2, 3, 4, 5] } output { 15 [1, 4, 9, 16, 25] 5 }
-- input { empty([0]i32) } output { 0 empty([0]i32) -2147483648 }

-- ==
-- entry: counted
-- input { [0i64, 2i64, 1i64, 2i64] } output { [1, 1, 2] }
-- input { empty([0]i64) } output { [0, 0, 0] }

-- ==
-- entry: sequential
-- input { [3, 1, 2] } output { 6 [3, 4, 6] }
-- input { empty([0]i32) } output { 0 empty([0]i32) }

entry mapped [n] (xs: [n]i32) : [n]i32 = stream.map (\m (chunk: [m]i32) -> map (* 2) chunk) xs

entry reduced [n] (xs: [n]i32) : (i32, [n]i32, i32) =
  let add (m: i64) (acc: i32) (chunk: [m]i32) = (acc + i32.sum chunk, map (\x -> x * x) chunk)
  let (total, squares) = stream.red (+) add 0 xs
  let compare (m: i64) (acc: i32) (chunk: [m]i32) = (foldl i32.max acc chunk, chunk)
  let (greatest, _) = stream.red_comm i32.max compare i32.lowest xs
  in (total, squares, greatest)

-- The chunk function updates its accumulator in place.
entry counted [n] (is: [n]i64) : [3]i32 =
  let count (m: i64) (acc: *[3]i32) (chunk: [m]i64) : ([3]i32, [m]()) =
    (loop acc for i in chunk do acc with [i] = acc[i] + 1, replicate m ())
  in (stream.red (map2 (+)) count [0, 0, 0] is).0

-- A running sum, carried from chunk to chunk.
entry sequential [n] (xs: [n]i32) : (i32, [n]i32) =
  stream.seq (\m (acc: i32) (chunk: [m]i32) ->
                let sums = map (+ acc) (scan (+) 0 chunk)
                in (sums[m - 1], sums)) 0 xs
