-- Loops of the host that are the work of a single block of threads, because their operators are small; with a low threshold
-- they are launches.

-- ==
-- entry: steps
-- input { 0i64 [1f64, 2f64, 3f64] } output { [0f64, 0f64, 0f64] }
-- input { 2i64 [1f64, 2f64, 3f64] } output { [1.5f64, 1.75f64, 1.5f64] }
-- input { 3i64 empty([0]f64) } output { empty([0]f64) }
-- random input { 40i64 [1500]f64 } auto output
entry steps [n] (k: i64) (x: [n]f64) : [n]f64 =
  let change y = map2 (\i x -> if i == 0 then x else x * y[i - 1] * 0.5) (iota n) x
  in loop y = replicate n 0 for _i < k do
       let a = change y
       let b = change (map2 (+) y a)
       in map3 (\y a b -> 0.5 * (y + a + b)) y a b

-- A gradient: the return sweep reads the rows of a tape that the first loop writes in place.
-- ==
-- entry: gradient
-- input { 3i64 [1f64, 2f64, 3f64] } auto output
-- random input { 30i64 [300]f64 } auto output
entry gradient [n] (k: i64) (x: [n]f64) : [n]f64 =
  vjp (\x -> f64.sum (steps k x)) x 1

-- A condition that a reduction decides, and scalars among the results.
-- ==
-- entry: until
-- input { 100i32 [1i32, 2i32, 3i32] } output { 16i64 102i32 [33i32, 34i32, 35i32] }
-- input { 0i32 [1i32, 2i32, 3i32] } output { 0i64 0i32 [1i32, 2i32, 3i32] }
-- input { 5i32 empty([0]i32) } output { 10i64 0i32 empty([0]i32) }
entry until [n] (most: i32) (xs: [n]i32) : (i64, i32, [n]i32) =
  let (count, sum, xs) =
    loop (count, sum, xs) = (0, 0, xs) while sum < most && count < 100 && (n > 0 || count < 10) do
      let ys = map (+ 2) xs
      in (count + 1, i32.sum ys, ys)
  in (count, sum, xs)

-- Loops inside of loops; scans; updates of elements that others read.
-- ==
-- entry: nested
-- input { 2i64 3i64 [1i64, 2i64, 3i64] } auto output
-- input { 0i64 3i64 [1i64, 2i64, 3i64] } output { [1i64, 2i64, 3i64] [0i64, 0i64, 0i64] }
-- input { 3i64 0i64 [1i64, 2i64, 3i64] } auto output
-- random input { 5i64 4i64 [1100]i64 } auto output
entry nested [n] (k: i64) (m: i64) (xs: [n]i64) : ([n]i64, [n]i64) =
  loop (xs, seen) = (copy xs, replicate n 0) for i < k do
    let xs = loop xs for j < m do scan (+) 0 (map (\x -> (x + j) % 1000) xs)
    let xs = xs with [i % n] = xs[n - 1] + i
    let top = reduce i64.max i64.lowest xs
    in (xs, map2 (\s x -> s + i64.bool (x == top)) seen xs)

-- Scatters, slices that are replaced, and a matrix whose columns are read.
-- ==
-- entry: slices
-- input { 4i64 [3i64, 0i64, 1i64, 1i64] } auto output
-- random input { 6i64 [33]i64 } auto output
entry slices [n] (k: i64) (xs: [n]i64) : [n][n]i64 =
  let rows = loop rows = replicate n (replicate n 1) for i < k do
    let at = i % n
    let row = map2 (+) rows[at] xs
    let moved = scatter (copy row) (map (\i -> (i * 7 + at) % (2 * n)) (iota n)) (iota n)
    let column = map (\r -> r % 5) rows[:, at]
    let rows = rows with [(at + 1) % n] = moved
    in rows with [:, at] = column
  in rows

-- What fails in the block fails as it would elsewhere.
-- ==
-- entry: fails
-- input { 3i64 [0i64, 1i64, 2i64] } output { [1i64, 1i64, 1i64] }
-- input { 3i64 [0i64, 1i64, 3i64] } error: out of bounds
entry fails [n] (k: i64) (is: [n]i64) : [n]i64 =
  loop ys = replicate n 1 for _i < k do
    let zs = map (\i -> ys[i]) is
    in map2 (\i z -> z * zs[(i * 5) % n]) is zs

-- Histograms: of one number and of several, by an operator without an instruction, of two dimensions, with places outside.
-- ==
-- entry: counted
-- input { 3i64 4i64 [3i64, 0i64, 1i64, 1i64, 7i64, -2i64] } auto output
-- input { 0i64 1i64 [3i64] } auto output
-- input { 2i64 3i64 empty([0]i64) } auto output
-- random input { 5i64 10i64 [1200]i64 } auto output
entry counted [n] (k: i64) (m: i64) (xs: [n]i64) : ([m]i64, [m]i64, [m][2]i32, [n]i64) =
  let places xs = map (\x -> x % (m + 1)) xs
  in loop (counts, largest, both, xs) = (replicate m 0, replicate m 0, replicate m (replicate 2 1), map (% 1000) xs) for i < k do
       let at = places xs
       let (sums, counts) =
         unzip (reduce_by_index (zip counts (replicate m i)) (\a b -> (a.0 + b.0, a.1 + b.1)) (0, 0) at (zip xs (map (const 1) xs)))
       let largest = reduce_by_index largest (\a b -> if a < b then b else a) 0 at (map (* 3) xs)
       let both = reduce_by_index_2d both (*) 1 (map2 (\j x -> (j, x % 3)) at xs) (map (\x -> i32.i64 (x % 2) * 2 + 1) xs)
       in (map2 (+) sums counts, largest, both, map (\x -> (x * 7 + sums[0]) % 1000) xs)
