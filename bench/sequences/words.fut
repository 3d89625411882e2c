-- The words of lines of text.
-- ==
-- entry: agree
-- nobench input { 1000i64 } output { true }

-- ==
-- entry: sequences arrays
-- "2M lines" notest script input { text 2000000i64 }

entry text (n: i64) : ?[m].([n]i64, [m]u8) =
  let sizes = map (\i -> i * 37 % 71) (iota n)
  let m = i64.sum sizes
  in (sizes, map (\i -> if (i * 2654435761 >> 11) % 6 == 0 then 32u8 else 97) (iota m))

def count [n] (line: [n]u8) : i64 =
  i64.sum (map (\i -> i64.bool (line[i] != 32 && (i == 0 || line[i - 1] == 32))) (iota n))

entry sequences [n] [m] (sizes: [n]i64) (bytes: [m]u8) : i64 =
  seq.reduce (+) 0 (seq.map count (seq.of_segments sizes bytes))

entry arrays [n] [m] (sizes: [n]i64) (bytes: [m]u8) : i64 =
  i64.sum (map2 (\size end -> count bytes[end - size:end]) sizes (scan (+) 0 sizes))

entry agree (n: i64) : bool =
  let (sizes, bytes) = text n
  in sequences sizes bytes == arrays sizes bytes
