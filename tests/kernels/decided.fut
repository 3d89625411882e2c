-- Loops that the device decides about: the host launches iterations before it knows whether there are any.

-- ==
-- entry: halve
-- input { [100i32, 7i32, 32i32] 10i32 } output { [6i32, 0i32, 2i32] 4i32 8i32 }
-- input { [100000i32, 7i32, 32i32] 1i32 } output { [1i32, 0i32, 0i32] 16i32 1i32 }
-- input { [100i32, 7i32, 32i32] 1000i32 } output { [100i32, 7i32, 32i32] 0i32 139i32 }
-- input { [0i32, 0i32] -1i32 } error: k < 40

-- The condition, and a scalar that kernels and the caller need.
entry halve [n] (xs: [n]i32) (most: i32) : ([n]i32, i32, i32) =
  let (xs, k, total, _) =
    loop (xs, k, total, largest) = (xs, 0, i32.sum xs, i32.maximum xs)
    while largest > most do
      let k = assert (k < 40) k
      let xs = map (\x -> if total < 0 then total else x / 2) xs
      in (xs, k + 1, i32.sum xs, i32.maximum xs)
  in (xs, k, total)

-- ==
-- entry: walk
-- input { [1i64, 2i64, 3i64, 0i64] 2i64 } output { [1i64, 2i64, 3i64, 0i64] 3i64 }
-- input { [1i64, 2i64, 3i64, 9i64] 9i64 } error: Index \[9\] out of bounds

-- A check in a kernel fails in some iteration, and the loop ends.
entry walk [n] (next: [n]i64) (steps: i64) : ([n]i64, i64) =
  loop (at, s) = (iota n, 0) while s < steps do
    let at = map (\i -> next[i]) at
    in (at, s + i64.sum (map (i64.min 1) at))

-- ==
-- entry: nested
-- input { [5i32, 3i32, 9i32] 3i32 } output { [5i32, 5i32, 5i32] 4i32 5i32 }
-- input { [5i32, 3i32, 9i32] 0i32 } output { [5i32, 3i32, 9i32] 0i32 0i32 }

-- One in another, and a state that is changed in place.
entry nested [n] (xs: [n]i32) (times: i32) : ([n]i32, i32, i32) =
  loop (xs, most, turns) = (copy xs, 0, 0) for k < times do
    let (xs, _, i) =
      loop (xs, d, i) = (copy xs, i32.maximum xs, 0) while d > 3 && i < 3 do
        let xs = xs with [i64.i32 i % n] = (xs[0] + d) / 2
        let ys = map (\x -> x - x / 4) xs
        in (ys, i32.maximum (map2 (-) xs ys) + d / 2, i + 1)
    in (map (+ k) xs, i32.max most (i32.maximum xs), turns + i)

-- ==
-- entry: scaled
-- input { [[1i64, 2i64], [3i64, 4i64]] 4i64 } output { [0i64, 2i64] 3i64 }

-- A loop that counts: what iterations hand on is of the device, and comes from one of two versions.
entry scaled [n] (a: [n][n]i64) (k: i64) : ([n]i64, i64) =
  loop (x, l) = (replicate n 1, 1) for _i < k do
    let y = map (\r -> i64.sum (map2 (*) r x) / l) a
    in (y, 1 + i64.sum (map (\v -> v * v) y) / n)

-- ==
-- entry: shifted
-- input { [1000i32, 7i32, 320i32, 55i32] } output { [0i32, 0i32, 0i32, 8i32] 16i32 }
-- random input { [3000]i32 } auto output

-- An iteration that should not be must not copy: what is shifted overlaps with what it overwrites, and is a result.
entry shifted [n] (xs: [n]i32) : ([n]i32, i32) =
  let (_, zs, steps, _) =
    loop (ys, zs, steps, go) = (copy xs, replicate n 0, 0i32, true) while go do
      let next = map2 (\y z -> (y + z) / 2) ys zs
      let zs[1:] = ys[:n - 1]
      in (next, zs, steps + 1, i32.maximum next > -2000000000 && steps < 15)
  in (zs, steps)
