-- A softmax of each row: the probability of each element is in proportion to its exponential. Results are the largest
-- probability of each row, and its entropy.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [0i64, 2i64, 2i64, 3i64, 7i64] [5f32, 5f32, 100f32, 0f32, 0f32, 0f32, 0f32] }
-- output { [0.5f32, 0f32, 1f32, 0.25f32] [0.6931472f32, 0f32, 0f32, 1.3862944f32] }
-- "16M in 64 each" notest script input { uniform 262144i64 64i64 }
-- "16M, up to 128" notest script input { ragged 262144i64 128i64 }
-- "zipf 16M" notest script input { power 100000i64 16000000i64 }

-- ==
-- entry: agree
-- nobench script input { uniform 20i64 9i64 } output { true }
-- nobench script input { ragged 50i64 30i64 } output { true }
-- nobench script input { power 100i64 700i64 } output { true }

def data [n] (sizes: [n]i64) : ?[m].([n + 1]i64, [m]f32) =
  let offsets = offsets sizes
  let m = offsets[n]
  in (offsets, map (\i -> f32.i64 (hash i % 10000) / 1000) (iota m))

entry uniform (n: i64) (size: i64) = data (replicate n size)

-- Sizes from 0 to `most`, for example sentences.
entry ragged (n: i64) (most: i64) = data (map (\i -> hash i % (most + 1)) (iota n))

entry power (n: i64) (total: i64) = data (zipf n total)

-- A part of the entropy.
def term (p: f32) : f32 = if p == 0 then 0 else -p * f32.log p

entry nested [r] [m] (offsets: [r]i64) (xs: [m]f32) : ([r - 1]f32, [r - 1]f32) =
  unzip (map (\i ->
                let row = xs[offsets[i]:offsets[i + 1]]
                let most = f32.maximum row
                let powers = map (\x -> f32.exp (x - most)) row
                let sum = f32.sum powers
                let probabilities = map (/ sum) powers
                in (reduce f32.max 0 probabilities, f32.sum (map term probabilities)))
             (iota (r - 1)))

entry flat [r] [m] (offsets: [r]i64) (xs: [m]f32) : ([r - 1]f32, [r - 1]f32) =
  let (owners, heads) = (owners m offsets, heads m offsets)
  let most = segmented_reduce f32.max f32.lowest offsets heads xs
  let powers = map2 (\x o -> f32.exp (x - most[o])) xs owners
  let sums = segmented_reduce (+) 0 offsets heads powers
  let probabilities = map2 (\p o -> p / sums[o]) powers owners
  in ( segmented_reduce f32.max 0 offsets heads probabilities
     , segmented_reduce (+) 0 offsets heads (map term probabilities)
     )

entry rows [r] [m] (offsets: [r]i64) (xs: [m]f32) : ([r - 1]f32, [r - 1]f32) =
  unzip (map (\i ->
                let (a, b) = (offsets[i], offsets[i + 1])
                let most = loop most = f32.lowest for j in a..<b do f32.max most xs[j]
                let sum = loop sum = 0 for j in a..<b do sum + f32.exp (xs[j] - most)
                in loop (top, entropy) = (0, 0) for j in a..<b do
                     let p = f32.exp (xs[j] - most) / sum
                     in (f32.max top p, entropy + term p))
             (iota (r - 1)))

entry agree [r] [m] (offsets: [r]i64) (xs: [m]f32) : bool =
  let (top, entropy) = rows offsets xs
  let close x y = f32.abs (x - y) <= 1e-4 * (f32.abs x + 1)
  let same (others, entropies) = and (map2 close top others) && and (map2 close entropy entropies)
  in same (nested offsets xs) && same (flat offsets xs)
