-- Loops that divide their counter go through it row by row: sums of rows of all lengths, and what else reads the counter.
-- ==
-- entry: outer total counted three backwards both inner prefixes narrow scattered
-- random input { [0]i32 3i64 } auto output
-- random input { [1]i32 1i64 } auto output
-- random input { [10]i32 1i64 } auto output
-- random input { [10]i32 7i64 } auto output
-- random input { [100]i32 100i64 } auto output
-- random input { [300]i32 40i64 } auto output
-- random input { [40]i32 301i64 } auto output

def size (n: i64) (m: i64): i64 = n * m

entry outer [n] (xs: [n]i32) (m: i64) =
  tabulate (size n m) (\k -> #[unsafe] xs[k / m] * i32.i64 (k % m) + i32.i64 k)

entry total [n] (xs: [n]i32) (m: i64) =
  i32.sum (tabulate (size n m) (\k -> #[unsafe] xs[k / m] ^ i32.i64 (k % m)))

entry counted [n] (xs: [n]i32) (m: i64) =
  hist (+) 0i32 10 (tabulate (size n m) (\k -> #[unsafe] i64.i32 xs[k / m] % 13 + k % m)) (replicate (size n m) 1)

-- Three coordinates: one divisor is chosen.
entry three [n] (xs: [n]i32) (m: i64) =
  let l = m + 1
  in tabulate (n * m * l) (\k -> #[unsafe] xs[k / (m * l)] + i32.i64 ((k / l) % m) * 100 + i32.i64 (k % l))

-- A divisor that is negative, where rows have one element.
entry backwards [n] (xs: [n]i32) (m: i64) =
  tabulate n (\k -> xs[k] + i32.i64 (k / (0 - m)) * 1000 + i32.i64 (k % (0 - m)))

-- Checks say the same, and branches see the same row.
entry both [n] (xs: [n]i32) (m: i64) =
  let small = i64.max 1 (m / 2)
  in tabulate n (\k -> if k / small % 2 == 0 then xs[k % small % n] else i32.i64 (k / small))

-- Inside of a loop of the program, with a constant divisor.
entry inner [n] (xs: [n]i32) (m: i64) =
  map (\x -> loop s = x for k < m * 3 do s * 3 + i32.i64 (k / 100) - i32.i64 (k % 100)) xs

entry prefixes [n] (xs: [n]i32) (m: i64) =
  scan (+) 0 (tabulate (size n m) (\k -> #[unsafe] xs[k / m] - i32.i64 (k % m)))

-- The counter as an i32.
entry narrow [n] (xs: [n]i32) (m: i64) =
  let w = i32.i64 m
  in tabulate (size n m) (\k -> #[unsafe] xs[i32.i64 k / w] * (i32.i64 k % w) + i32.i64 k)

entry scattered [n] (xs: [n]i32) (m: i64) =
  let w = i32.i64 m
  let at k = (i32.i64 k % w) * i32.i64 n + i32.i64 k / w
  in scatter (replicate (size n m) 0) (tabulate (size n m) (at >-> i64.i32)) (tabulate (size n m) (\k -> #[unsafe] xs[i32.i64 k / w]))
