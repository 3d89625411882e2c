-- A sparse matrix times a vector. The non-zero elements of each row are stored one after the other, with their columns.
import "lib/rows"

-- ==
-- entry: nested flat rows
-- nobench input { [0i64, 2i64, 2i64, 5i64] [0, 2, 1, 0, 2] [2f32, 1f32, 3f32, 1f32, 4f32] [1f32, 10f32, 100f32] }
-- output { [102f32, 0f32, 431f32] }
-- nobench input { [0i64, 0i64] empty([0]i32) empty([0]f32) [1f32] } output { [0f32] }
-- nobench input { [0i64] empty([0]i32) empty([0]f32) [1f32] } output { empty([0]f32) }
-- "2M of 9" notest script input { uniform 222222i64 9i64 }
-- "32M of 32" notest script input { uniform 1000000i64 32i64 }
-- "100M of 154" notest script input { uniform 650000i64 154i64 }
-- "zipf 32M" notest script input { power 1000000i64 32000000i64 }
-- "one row of 1M" notest script input { long 1000000i64 1000000i64 }

-- ==
-- entry: agree
-- nobench script input { uniform 50i64 9i64 } output { true }
-- nobench script input { power 100i64 700i64 } output { true }
-- nobench script input { long 60i64 600i64 } output { true }

def matrix [n] (sizes: [n]i64) : ?[m].([n + 1]i64, [m]i32, [m]f32, [n]f32) =
  let offsets = offsets sizes
  let m = offsets[n]
  in ( offsets
     , map (\i -> i32.i64 (hash i % n)) (iota m)
     , map (\i -> f32.i64 (hash (i + m) % 8)) (iota m)
     , map (\i -> f32.i64 (i % 16)) (iota n)
     )

-- Rows of the same size.
entry uniform (n: i64) (size: i64) = matrix (replicate n size)

-- Rows of very different sizes.
entry power (n: i64) (total: i64) = matrix (zipf n total)

-- One long row among short ones.
entry long (n: i64) (size: i64) =
  matrix (map (\i -> if i == n / 3 then size else hash i % 18) (iota n))

entry nested [r] [m] [k] (offsets: [r]i64) (columns: [m]i32) (values: [m]f32) (x: [k]f32)
    : [r - 1]f32 =
  map (\i ->
         let (a, b) = (offsets[i], offsets[i + 1])
         in f32.sum (map2 (\c v -> v * x[c]) columns[a:b] values[a:b]))
      (iota (r - 1))

entry flat [r] [m] [k] (offsets: [r]i64) (columns: [m]i32) (values: [m]f32) (x: [k]f32)
    : [r - 1]f32 =
  segmented_reduce (+) 0 offsets (heads m offsets) (map2 (\c v -> v * x[c]) columns values)

entry rows [r] [m] [k] (offsets: [r]i64) (columns: [m]i32) (values: [m]f32) (x: [k]f32)
    : [r - 1]f32 =
  map (\i -> loop sum = 0 for j in offsets[i]..<offsets[i + 1] do sum + values[j] * x[columns[j]])
      (iota (r - 1))

entry agree [r] [m] [k] (offsets: [r]i64) (columns: [m]i32) (values: [m]f32) (x: [k]f32) : bool =
  let expected = rows offsets columns values x
  in and (map2 (==) expected (nested offsets columns values x))
     && and (map2 (==) expected (flat offsets columns values x))
