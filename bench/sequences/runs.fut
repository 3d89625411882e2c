-- The first part of an external sort: runs of 256 numbers, each sorted.
-- ==
-- entry: agree
-- nobench input { 10i64 } output { true }

-- ==
-- entry: sequences arrays
-- "16M numbers" notest script input { numbers 65536i64 }

def numbers_of (n: i64) : [n]u32 = map (\i -> u32.i64 (i * 2654435761 & 0xffffffff)) (iota n)

entry numbers (runs: i64) : []u32 = numbers_of (runs * 256)

-- A bitonic sort.
def sorted (xs: [256]u32) : [256]u32 =
  loop (xs: [256]u32) = xs for k < 8 do
    loop (xs: [256]u32) = xs for l < k + 1 do
      let step = 1 << (k - l)
      in map (\i ->
                let other = i ^ step
                let up = i & (2 << k) == 0
                in if (i < other) == up then u32.min xs[i] xs[other] else u32.max xs[i] xs[other])
             (iota 256)

entry sequences [n] (xs: [n]u32) : []u32 =
  seq.elements (seq.map (\(run: [256]u32) : []u32 -> sorted run) (seq.group 256 (seq.of_array xs)))

entry arrays [n] (xs: [n]u32) : []u32 =
  flatten (map sorted (unflatten (xs :> [n / 256 * 256]u32)))

entry agree (runs: i64) : bool =
  let xs = numbers runs
  let (a, b) = (sequences xs, arrays xs)
  let k = length b
  in length a == k && and (map2 (==) (a :> [k]u32) (b :> [k]u32))
