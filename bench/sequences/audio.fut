-- How often a signal crosses zero, in windows that overlap.
-- ==
-- entry: agree
-- nobench input { 5000i64 } output { true }
-- nobench input { 3i64 } output { true }

-- ==
-- entry: sequences arrays
-- "16M samples" notest script input { signal 16777216i64 }

entry signal (n: i64) : [n]f32 = map (\i -> f32.sin (f32.i64 (i % 65536) * 0.37)) (iota n)

def crossings [k] (window: [k]f32) : i32 =
  i32.sum (map (\i -> i32.bool ((window[i] < 0) != (window[i + 1] < 0))) (iota (k - 1)))

entry sequences [n] (samples: [n]f32) : []i32 =
  seq.to_array (seq.map crossings (seq.windows 1024 256 (seq.of_array samples)))

entry arrays [n] (samples: [n]f32) : []i32 =
  let count = if n < 1024 then 0 else (n - 1024) / 256 + 1
  in map (\i -> crossings samples[i * 256:i * 256 + 1024]) (iota count)

entry agree (n: i64) : bool =
  let samples = signal n
  let (a, b) = (sequences samples, arrays samples)
  let k = length b
  in length a == k && and (map2 (==) (a :> [k]i32) (b :> [k]i32))
