-- Sum, maximum and histogram of numbers.
-- ==
-- entry: agree
-- nobench input { 1000i64 } output { true }

-- ==
-- entry: sequences arrays
-- "64M numbers" notest script input { numbers 67108864i64 }

entry numbers (n: i64) : [n]i32 = map (\i -> i32.i64 (i * 2654435761 >> 7)) (iota n)

entry sequences [n] (numbers: [n]i32) : (i64, i32, [256]i64) =
  let xs = seq.of_array numbers
  in ( seq.reduce (+) 0 (seq.map i64.i32 xs)
     , seq.reduce i32.max i32.lowest xs
     , seq.hist (+) 0 256 (seq.map (\x -> (i64.i32 (x & 255), 1)) xs)
     )

entry arrays [n] (numbers: [n]i32) : (i64, i32, [256]i64) =
  ( i64.sum (map i64.i32 numbers)
  , i32.maximum numbers
  , hist (+) 0 256 (map (\x -> i64.i32 (x & 255)) numbers) (replicate n 1)
  )

entry agree (n: i64) : bool =
  let xs = numbers n
  let ((a, b, c), (d, e, f)) = (sequences xs, arrays xs)
  in a == d && b == e && and (map2 (==) c f)
