-- Products of vectors and matrices in a batch, where each vector has its own size, and its matrix as many rows.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [0i64, 2i64, 2i64, 3i64] [1f32, 2f32, 3f32] [[1f32, 10f32], [2f32, 20f32], [3f32, 30f32]] }
-- output { [[5f32, 50f32], [0f32, 0f32], [9f32, 90f32]] }
-- "64k products, up to 64 x 32" notest script input { ragged 65536i64 64i64 32i64 }
-- "1k products, up to 8k x 16" notest script input { ragged 1024i64 8192i64 16i64 }
-- "zipf 4M x 16" notest script input { power 65536i64 4000000i64 16i64 }

-- ==
-- entry: agree
-- nobench script input { ragged 20i64 12i64 3i64 } output { true }
-- nobench script input { power 50i64 200i64 4i64 } output { true }

def data [n] (sizes: [n]i64) (k: i64) : ?[m].([n + 1]i64, [m]f32, [m][k]f32) =
  let offsets = offsets sizes
  let m = offsets[n]
  in ( offsets
     , map (\i -> f32.i64 (hash i % 8)) (iota m)
     , tabulate_2d m k (\i j -> f32.i64 ((i + 3 * j) % 8))
     )

entry ragged (n: i64) (most: i64) (k: i64) = data (map (\i -> hash i % (most + 1)) (iota n)) k

entry power (n: i64) (total: i64) (k: i64) = data (zipf n total) k

entry nested [r] [m] [k] (offsets: [r]i64) (vectors: [m]f32) (matrices: [m][k]f32) : [r - 1][k]f32 =
  map (\i ->
         let (a, b) = (offsets[i], offsets[i + 1])
         in map (\column -> f32.sum (map2 (*) vectors[a:b] column)) (transpose matrices[a:b]))
      (iota (r - 1))

entry flat [r] [m] [k] (offsets: [r]i64) (vectors: [m]f32) (matrices: [m][k]f32) : [r - 1][k]f32 =
  let heads = heads m offsets
  in transpose (map (\column -> segmented_reduce (+) 0 offsets heads (map2 (*) vectors column))
                    (transpose matrices))

entry rows [r] [m] [k] (offsets: [r]i64) (vectors: [m]f32) (matrices: [m][k]f32) : [r - 1][k]f32 =
  tabulate_2d (r - 1)
              k
              (\i c ->
                 loop sum = 0 for j in offsets[i]..<offsets[i + 1] do
                   sum + vectors[j] * matrices[j, c])

entry agree [r] [m] [k] (offsets: [r]i64) (vectors: [m]f32) (matrices: [m][k]f32) : bool =
  let expected = rows offsets vectors matrices
  let same others = and (map2 (\xs ys -> and (map2 (==) xs ys)) expected others)
  in same (nested offsets vectors matrices) && same (flat offsets vectors matrices)
