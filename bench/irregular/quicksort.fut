-- Quicksort: all segments that are not sorted yet are cut into three, around a number of theirs, until there are none.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [5, 1, 4, 1, 5, 9, 2, 6, -3] } output { [-3, 1, 1, 2, 4, 5, 5, 6, 9] }
-- nobench input { empty([0]i32) } output { empty([0]i32) }
-- nobench input { [2, 2, 2] } output { [2, 2, 2] }
-- "10^6" notest script input { data 1000000i64 1000000000i64 }
-- "10^7" notest script input { data 10000000i64 1000000000i64 }
-- "10^7 of 1000 numbers" notest script input { data 10000000i64 1000i64 }

-- ==
-- entry: agree
-- nobench script input { data 30i64 1000i64 } output { true }
-- nobench script input { data 40i64 7i64 } output { true }

entry data (n: i64) (most: i64) : [n]i32 = map (\i -> i32.i64 (hash i % most)) (iota n)

-- A segment: where it begins and ends.
type segment = (i64, i64)

def unsorted (segments: []segment) : []segment = filter (\(a, b) -> b - a > 1) segments

def pivot [n] (xs: [n]i32) ((a, b): segment) : i32 = xs[a + (b - a) / 2]

entry nested [n] (xs: [n]i32) : [n]i32 =
  (loop (xs, segments) = (copy xs, unsorted [(0, n)]) while !(null segments) do
     let (_, _, _, moved, cuts) =
       flatmap (\(a, b) ->
                  let p = pivot xs (a, b)
                  let (less, equal, more) = partition2 (< p) (== p) xs[a:b]
                  let sorted = less ++ equal ++ more
                  let cut = [(a, a + length less), (b - length more, b)]
                  in (zip (map (+ a) (indices sorted)) sorted, cut))
               segments
     let (places, values) = unzip moved
     in (scatter xs places values, unsorted (flatten cuts))).0

entry flat [n] (xs: [n]i32) : [n]i32 =
  (loop (xs, segments) = (copy xs, unsorted [(0, n)]) while !(null segments) do
     let offsets = offsets (map (\(a, b) -> b - a) segments)
     let m = last offsets
     let owners = owners m offsets
     let values = map2 (\i o -> xs[segments[o].0 + i - offsets[o]]) (iota m) owners
     let pivots = map (pivot xs) segments
     let less = map2 (\x o -> i64.bool (x < pivots[o])) values owners
     let equal = map2 (\x o -> i64.bool (x == pivots[o])) values owners
     -- How many of each class there are up to each element, in all segments together.
     let sums = scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (zip less equal)
     let before i = if i == 0 then (0, 0) else sums[i - 1]
     let counts =
       map (\k ->
              let ((a, b), (c, d)) = (before offsets[k], before offsets[k + 1])
              in (c - a, d - b))
           (indices segments)
     let places =
       map2 (\i o ->
               let ((a, b), (c, d)) = (before offsets[o], before i)
               let (l, e) = counts[o]
               let (begin, k) = (segments[o].0, i - offsets[o])
               in if less[i] == 1
                  then begin + c - a
                  else if equal[i] == 1
                  then begin + l + d - b
                  else begin + l + e + k - (c - a) - (d - b))
            (iota m)
            owners
     let cuts = map2 (\(a, b) (l, e) -> [(a, a + l), (a + l + e, b)]) segments counts
     in (scatter xs places values, unsorted (flatten cuts))).0

entry rows [n] (xs: [n]i32) : [n]i32 =
  (loop (xs, segments) = (copy xs, unsorted [(0, n)]) while !(null segments) do
     let counts =
       map (\(a, b) ->
              let p = pivot xs (a, b)
              in loop (l, e) = (0, 0) for i in a..<b do
                   (l + i64.bool (xs[i] < p), e + i64.bool (xs[i] == p)))
           segments
     let write (acc: *intrinsics.acc ([n]i32)) ((a, b), (l, e)) =
       let p = pivot xs (a, b)
       in (loop (acc, less, equal, more) = (acc, a, a + l, a + l + e) for i in a..<b do
             let x = xs[i]
             in if x < p
                then (intrinsics.acc_write acc less x, less + 1, equal, more)
                else if x == p
                then (intrinsics.acc_write acc equal x, less, equal + 1, more)
                else (intrinsics.acc_write acc more x, less, equal, more + 1)).0
     let cuts = map2 (\(a, b) (l, e) -> [(a, a + l), (a + l + e, b)]) segments counts
     in ( intrinsics.scatter_stream (copy xs) write (zip segments counts)
        , unsorted (flatten cuts)
        )).0

entry agree [n] (xs: [n]i32) : bool =
  let sorted = rows xs
  in all (\i -> i == 0 || sorted[i - 1] <= sorted[i]) (iota n)
     && i32.sum sorted == i32.sum xs
     && and (map2 (==) sorted (nested xs))
     && and (map2 (==) sorted (flat xs))
