-- Gradients of reads at positions that a condition chooses, each moved by something that does not vary. They must agree with forward mode.

def number (i: i64) : f64 = 0.5 + f64.i64 (i * 7919 % 101) / 100

def close (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)

def agrees [n] (f: [n]f64 -> [n]f64) : bool =
  let (x, v, w) = (tabulate n number, tabulate n (\i -> number (i + 3)), tabulate n (\i -> number (i * i)))
  in close (f64.sum (map2 (*) (vjp f x w) v)) (f64.sum (map2 (*) (jvp f x v) w))

entry turned (n: i64) (r: i64) =
  agrees (\(x: [n]f64) -> map2 (\a b -> a * f64.sin b) x (rotate r x))

-- Some elements are read twice, and some never.
entry folded (n: i64) (r: i64) =
  agrees (\(x: [n]f64) ->
            map (\i -> let j = if i + r < n then i + r else i - r
                       in if j >= 0 && j < n then f64.sin x[j] else x[i]) (iota n))

-- Mirrored at the end; and the first one moves by what another dimension says.
entry mirrored (n: i64) (r: i64) =
  agrees (\(x: [n]f64) ->
            let s = map (\k -> f64.sum (map (\i -> x[if i < n - k then i + k else 2 * n - 1 - i - k] * f64.i64 (i + 1)) (iota n))) (iota (i64.min n (i64.max 1 r)))
            in map (\a -> a * f64.sum s) x)

-- ==
-- entry: turned folded mirrored
-- input { 1i64 0i64 } output { true }
-- input { 7i64 1i64 } output { true }
-- input { 10i64 4i64 } output { true }
-- input { 10i64 -3i64 } output { true }
-- input { 10i64 23i64 } output { true }
-- input { 0i64 1i64 } output { true }
