-- Loops with clamped indices, with conditions at the ends, and with checks.
-- ==
-- entry: near far narrow branches window swapped
-- random input { [0]f32 } auto output
-- random input { [1]f32 } auto output
-- random input { [2]f32 } auto output
-- random input { [3]f32 } auto output
-- random input { [5]f32 } auto output
-- random input { [100]f32 } auto output

-- ==
-- entry: wide flat
-- random input { [0][0]f32 } auto output
-- random input { [0][3]f32 } auto output
-- random input { [1][1]f32 } auto output
-- random input { [2][5]f32 } auto output
-- random input { [5][2]f32 } auto output
-- random input { [30][41]f32 } auto output

-- ==
-- entry: checked
-- input { [1f32, 2f32, 3f32, 4f32] 0i64 } output { [1f32, 2f32, 3f32, 4f32] }
-- input { [1f32, 2f32, 3f32, 4f32] 2i64 } error: Index \[4\] out of bounds
-- input { [1f32, 2f32, 3f32, 4f32] -1i64 } error: Index \[-1\] out of bounds
-- input { [1f32, 2f32, 3f32, 4f32] 9223372036854775807i64 } error: Index \[9223372036854775807\] out of bounds

-- ==
-- entry: fixed
-- input { [1f32, 2f32, 3f32] 2i64 } output { [4f32, 5f32, 6f32] }
-- input { [1f32, 2f32, 3f32] 3i64 } error: Index \[3\] out of bounds
-- input { empty([0]f32) 3i64 } output { empty([0]f32) }

-- ==
-- entry: clamped
-- input { [1f32, 2f32, 3f32, 4f32] -3i64 9i64 } error: Index \[4\] out of bounds
-- input { [1f32, 2f32, 3f32, 4f32] 0i64 9i64 } error: Index \[4\] out of bounds
-- input { [1f32, 2f32, 3f32, 4f32] 0i64 3i64 } output { [3f32, 5f32, 7f32, 8f32] }
-- input { [1f32, 2f32, 3f32, 4f32] 2i64 2i64 } output { [4f32, 5f32, 6f32, 7f32] }
-- input { [1f32, 2f32, 3f32, 4f32] 3i64 1i64 } output { [3f32, 4f32, 5f32, 6f32] }
-- input { [1f32, 2f32, 3f32, 4f32] -9223372036854775808i64 3i64 } output { [3f32, 5f32, 7f32, 8f32] }

def at [n] (s: [n]f32) (i: i64): f32 = s[i64.max 0 (i64.min (n - 1) i)]

entry near [n] (s: [n]f32): [n]f32 = tabulate n (\x -> at s (x - 1) - 2 * s[x] + at s (x + 1))

entry far [n] (s: [n]f32): [n]f32 =
  tabulate n (\x -> at s (x - 2) + 3 * at s (x - 1) - 2 * s[x] + at s (x + 1) * at s (x + 2))

-- The other order of clamping, on smaller numbers.
entry narrow [n] (s: [n]f32): [n]f32 =
  tabulate n (\x ->
    let at (i: i32) = s[i64.i32 (i32.min (i32.i64 n - 1) (i32.max i 0))]
    let x = i32.i64 x
    in at (x - 1) + 2 * at x + at (x + 1))

entry branches [n] (s: [n]f32): [n]f32 =
  tabulate n (\x ->
    let left = if x > 0 then s[x - 1] else 7
    let right = if x == n - 1 then 9 else s[x + 1]
    in if x < 2 || x >= n - 2 then left - right else left + s[x] * right + s[x - 2])

entry window [n] (s: [n]f32): [n]f32 =
  tabulate n (\x -> loop sum = 0 for k < 5 do sum + f32.i64 k * at s (x + k - 2))

entry swapped [n] (s: [n]f32): [n]f32 = tabulate n (\x -> at s (n - x) + at s (x + n) + at s (x - n / 2))

entry wide [n] [m] (s: [n][m]f32): [n][m]f32 =
  tabulate_2d n m (\y x ->
    let at i j = s[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
    in at (y - 1) x + at (y + 1) x + 2 * at y (x - 1) + 3 * at y (x + 1) - 4 * s[y, x])

entry flat [n] [m] (s: [n][m]f32): [n][m]f32 =
  tabulate_2d n m (\y x ->
    let at i j = s[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
    in at (y - 2) (x - 2) + at (y + 2) (x + 2) + at (y - 2) (x + 1) * at (y + 1) (x - 2) - 4 * s[y, x])

-- Which position fails first is the same.
entry checked [n] (s: [n]f32) (d: i64): [n]f32 = tabulate n (\x -> s[x + d])

entry fixed [n] (s: [n]f32) (k: i64): [n]f32 = map (\x -> x + s[k]) s

entry clamped [n] (s: [n]f32) (low: i64) (high: i64): [n]f32 =
  tabulate n (\x -> s[x] + s[i64.min high (i64.max low (x + 1))])

-- Rows side by side, with a choice and a sum that are the same for all of them.
-- ==
-- entry: chosen added
-- random input { 1i64 [17]f32 [5][70]f32 [4][9]f32 } auto output
-- random input { 9i64 [17]f32 [4][70]f32 [4][40]f32 } auto output
entry chosen [n] [m] [z] (c: i64) (k: [17]f32) (s: [n][m]f32) (_: [4][z]f32) : [n][]f32 =
  tabulate_2d n (m - 16) (\i j ->
                            #[unsafe]
                            loop acc = 0 for d < 17 do
                              acc + (if d > c then k[d] * 2 else k[(d + c) % 17]) * s[i, j + d])

entry added [n] [m] [z] (c: i64) (k: [17]f32) (s: [n][m]f32) (wt: [4][z]f32) : [n][]f32 =
  tabulate n (\i ->
                #[unsafe]
                let u = loop u = f32.i64 c for t < 4 do u * s[i, t] + f32.sum wt[t]
                in tabulate (m - 16)
                            (\j -> #[unsafe] loop acc = u for d < 17 do acc + k[d] * s[i, j + d]))

-- ==
-- entry: chain
-- input { 1i64 [1f64, 2f64, 3f64] [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64], [7f64, 8f64, 9f64], [1f64, 1f64, 1f64], [2f64, 2f64, 2f64]] }
-- output { [18f64, 57f64, 96f64, 13f64, 26f64] }
entry chain [n] [m] (c: i64) (w: [m]f64) (a: [n][m]f64) : [n]f64 =
  map (\row -> loop s = 0 for j < m do s * (if j > c then w[j] else 3) + row[j]) a
