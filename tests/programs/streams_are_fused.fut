-- Streams next to maps and reductions: `fehu dev --pipeline default --count` shows that one stream is left of each
-- entry point, of the first one with a sequential stream inside.

-- ==
-- entry: recurrence
-- input { 0i64 3i64 } output { 0i64 }
-- input { 1i64 3i64 } output { 1i64 }
-- input { 5i64 3i64 } output { 35i64 }
-- input { 1000i64 7i64 } output { 3497500i64 }

-- The sum of the numbers `1 + c * i`. A chunk's first number is a product, the others are sums.
entry recurrence (n: i64) (c: i64) : i64 =
  let numbers =
    stream.map
      (\m (is: [m]i64) ->
         let start = 1 + c * is[0]
         in scan (+) 0 (map (\i -> if i == is[0] then start else c) is))
      (iota n)
  in reduce (+) 0 numbers

-- ==
-- entry: clamped
-- input { empty([0]i32) } output { 0i32 -100i32 }
-- input { [1, -2, 3, 50, -70] } output { 2i32 21i32 }

-- A map before a stream with an accumulator, and a map and a reduction after it.
entry clamped [n] (xs: [n]i32) : (i32, i32) =
  let small = map (\x -> i32.max (-10) (i32.min 10 x)) xs
  let (total, doubled) =
    stream.red_comm (+) (\m acc (ys: [m]i32) -> (acc + i32.sum ys, map (* 2) ys)) 0 small
  let most = reduce_comm i32.max (-100) (map (+ 1) doubled)
  in (total, most)

-- ==
-- entry: running
-- input { [1, 2, 3, 4] } output { 10i32 [1, 4, 10, 20] }

-- Two sequential streams, one after the other.
entry running [n] (xs: [n]i32) : (i32, [n]i32) =
  let sums [m] (acc: i32) (ys: [m]i32) : (i32, [m]i32) =
    let out = map (+ acc) (scan (+) 0 ys)
    in (out[m - 1], out)
  let (total, once) = stream.seq (\m acc (ys: [m]i32) -> sums acc ys) 0 xs
  let twice = stream.seq (\m acc (ys: [m]i32) -> sums acc ys) 0 once
  in (total, twice.1)
