-- The primes up to a number: multiples of the primes up to its square root are crossed out.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { 30i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64] }
-- nobench input { 2i64 } output { [2i64] }
-- nobench input { 1i64 } output { empty([0]i64) }
-- "10^6" notest input { 1000000i64 }
-- "10^8" notest input { 100000000i64 }

-- ==
-- entry: agree
-- nobench input { 100i64 } output { 25i64 }

-- From the primes up to a number those up to its square, until there are enough. `cross` makes the multiples of the primes
-- false, from their squares on.
def sieve (cross: (m: i64) -> (k: i64) -> *[m]bool -> [k]i64 -> [m]bool) (n: i64) : []i64 =
  (loop (primes, limit) = ([] : []i64, 1) while limit < n do
     let limit = i64.min n (i64.max 3 (limit * limit))
     let primes = filter (\p -> p * p <= limit) primes
     let k = length primes
     let flags = cross (limit + 1) k (map (>= 2) (iota (limit + 1))) (primes :> [k]i64)
     in (filter (\i -> flags[i]) (iota (limit + 1)), limit)).0

entry nested (n: i64) : []i64 =
  sieve (\m k (flags: *[m]bool) (primes: [k]i64) ->
           let (_, _, _, multiples) = flatmap' (\p -> map (* p) (p...(m - 1) / p)) primes
           in scatter flags multiples (map (const false) multiples))
        n

entry flat (n: i64) : []i64 =
  sieve (\m k (flags: *[m]bool) (primes: [k]i64) ->
           let places = offsets (map (\p -> (m - 1) / p - p + 1) primes)
           let total = last places
           let multiples =
             map2 (\i o -> primes[o] * (primes[o] + i - places[o]))
                  (iota total)
                  (owners total places)
           in scatter flags multiples (replicate total false))
        n

entry rows (n: i64) : []i64 =
  sieve (\m k (flags: *[m]bool) (primes: [k]i64) ->
           intrinsics.scatter_stream flags
                                     (\(acc: *intrinsics.acc ([m]bool)) p ->
                                        loop acc for i in p...(m - 1) / p do
                                          intrinsics.acc_write acc (i * p) false)
                                     primes)
        n

entry agree (n: i64) : i64 =
  let expected = rows n
  in assert (equal expected (nested n) && equal expected (flat n)) (length expected)
