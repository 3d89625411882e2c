-- Sums of sequences, of which one is much longer than all others.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [3i64, 0i64, 1i64, 10i64] } output { [3i64, 0i64, 0i64, 52i64] }
-- nobench input { empty([0]i64) } output { empty([0]i64) }
-- "10^8 among 10^6 of 10" notest script input { data 1000000i64 10i64 100000000i64 }
-- "10^6 among 10^6 of 10" notest script input { data 1000000i64 10i64 1000000i64 }
-- "10^3 of 10^5" notest script input { data 1000i64 100000i64 100000i64 }

-- ==
-- entry: agree
-- nobench script input { data 40i64 3i64 1500i64 } output { true }
-- nobench script input { data 1i64 3i64 500i64 } output { true }

entry data (n: i64) (short: i64) (long: i64) : [n]i64 =
  map (\i -> if i == n / 2 then long else short) (iota n)

def f (i: i64) : i64 = i ^ (i >> 1) ^ (i & 1)

entry nested [n] (sizes: [n]i64) : [n]i64 = map (\k -> reduce (+) 0 (map f (iota k))) sizes

entry flat [n] (sizes: [n]i64) : [n]i64 =
  let offsets = offsets sizes
  let m = offsets[n]
  let owners = owners m offsets
  in segmented_reduce (+)
                      0
                      offsets
                      (heads m offsets)
                      (map2 (\i o -> f (i - offsets[o])) (iota m) owners)

entry rows [n] (sizes: [n]i64) : [n]i64 = map (\k -> loop sum = 0 for i < k do sum + f i) sizes

entry agree [n] (sizes: [n]i64) : bool =
  let expected = rows sizes
  in and (map2 (==) expected (nested sizes)) && and (map2 (==) expected (flat sizes))
