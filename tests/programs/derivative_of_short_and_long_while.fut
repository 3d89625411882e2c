-- Derivatives of `while` loops inside of a map, of which each position has its own number of iterations: fewer than
-- there is room for when they are counted (2048, of states of eight bytes), as many, and more. Loops that say how often
-- they iterate have the same derivative.
-- ==
-- entry: same
-- input { [0i64, 1i64, 2i64, 2047i64, 2048i64, 2049i64, 2050i64, 5000i64, 7i64, 1023i64, 1024i64, 1025i64, 3000i64, 0i64, 4097i64, 100i64, 20i64, 2048i64] }
-- output { true }
-- input { empty([0]i64) }
-- output { true }
-- entry: same_second
-- input { [0i64, 1i64, 2047i64, 2048i64, 2049i64, 3000i64] }
-- output { true }
-- entry: same_floats
-- input { [0i64, 1i64, 1023i64, 1024i64, 1025i64, 2047i64, 2048i64, 2049i64, 5000i64] }
-- output { true }

def by_while (n: i64) (x: i64) : i64 =
  (loop (x, i, k) = (x, 0, 3) while i < n do (x * x + k * x * i, i + 1, k * 5 + i)).0

def by_for (n: i64) (x: i64) : i64 =
  (loop (x, k) = (x, 3) for i < n do (x * x + k * x * i, k * 5 + i)).0

def different (a: i64) (b: i64) : bool = a != b

entry same (ns: []i64) : bool =
  let by f = map (\n -> vjp (f n) (n + 1) 1) ns
  in map2 different (by by_while) (by by_for) |> or |> not

entry same_second (ns: []i64) : bool =
  let by f = map (\n -> vjp (\x -> vjp (f n) x 1) (n + 1) 1) ns
  in map2 different (by by_while) (by by_for) |> or |> not

-- The number of iterations depends on what is computed.
entry same_floats (ns: []i64) : bool =
  let until (n: i64) (x: f64) = (loop (x, t) = (x, 0) while t < f64.i64 n do (x + 0.001 * f64.sin x, t + 1)).0
  let known (n: i64) (x: f64) = (loop x for _i < n do x + 0.001 * f64.sin x)
  let by f = map (\n -> vjp (f n) 0.5 1f64) ns
  in map2 (\a b -> f64.abs (a - b) > 1e-9 * f64.abs b) (by until) (by known) |> or |> not
