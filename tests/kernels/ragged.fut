-- Rows of differing lengths, each executed by a thread, by a warp or by a block, or all of them together: thresholds decide.

-- The largest part that an element has in its row, and the sum of all parts that are larger than half of it.
def shares [m] (xs: [m]i32) (start: i64) (end: i64) : (f32, f32) =
  let row = xs[start:end]
  let least = i32.minimum row
  let weights = map (\x -> f32.i32 (x - least + 1)) row
  let sum = f32.sum weights
  let parts = scan (+) 0 (map (/ sum) weights)
  let most = f32.maximum (map2 (\w p -> w / sum + p - p) weights parts)
  in (most, f32.sum (map (\w -> if 2 * w > most * sum then w / sum else 0) weights))

-- ==
-- entry: main
-- input { [0i64, 2i64, 2i64, 3i64, 7i64] [3, 3, 100, 1, 1, 3, 3] }
-- output { [0.5f32, -f32.inf, 1f32, 0.375f32] [1f32, 0f32, 1f32, 0.75f32] }
-- input { [0i64] empty([0]i32) } output { empty([0]f32) empty([0]f32) }
-- input { [0i64, 3i64, 2i64] [1, 2, 3] } error: Index
entry main [n] [m] (offsets: [n]i64) (xs: [m]i32) : ([]f32, []f32) =
  unzip (map (\i -> shares xs offsets[i] offsets[i + 1]) (iota (n - 1)))

-- Rows that are longer than a block has threads.
-- ==
-- entry: long
-- input { 3i64 200i64 } output { [true, true, true] }
-- input { 40i64 7i64 } output { [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true] }
entry long (n: i64) (k: i64) : [n]bool =
  map (\i ->
         let row = map (\j -> (i + j * 7) % 11) (iota (i * k))
         let sums = scan (+) 0 row
         let most = i64.maximum sums
         let turned = map2 (\s r -> most - s + r) sums (reverse row)
         in i64.sum turned
            == (loop (sum, acc) = (0, 0) for j < i * k do
                  let acc = acc + (i + j * 7) % 11
                  in (sum - acc + (i + (i * k - 1 - j) * 7) % 11, acc)).0
                 + most * (i * k))
      (iota n)
