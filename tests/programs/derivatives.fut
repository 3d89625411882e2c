-- Derivatives of every operator, compared exactly: on integers, `<u, J v>` by forward mode equals `<J^T u, v>` by reverse mode modulo 2^64,
-- and `f (x + 2^32 v) - f x` equals `2^32 (J v)`.
-- ==
-- entry: duality
-- input { [3i64, 1i64, 4i64, 1i64, 5i64] [2i64, -7i64, 1i64, 8i64, -2i64] [1i64, 6i64, -1i64, 8i64, 3i64] }
-- output { [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true] }
-- input { [7i64] [2i64] [-3i64] }
-- output { [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true] }

-- ==
-- entry: step
-- input { [3i64, 1i64, 4i64, 1i64, 5i64] [2i64, -7i64, 1i64, 8i64, -2i64] }
-- output { [true, true, true, true, true, true, true] }

-- ==
-- entry: captured
-- input { 2.0 } output { 24.0 24.0 26.0 26.0 }

-- ==
-- entry: conventions
-- input { 0.5 }
-- output { [0.8, 0.25464790894703254, 1.3333333333333333, 0.4, -0.2, 1.0, -3.0, 0.0, 0.03648997397857652] }

-- ==
-- entry: nested
-- input { 2.0 3.0 } output { [36.0, 36.0, 36.0, 36.0] }

-- ==
-- entry: inner_arrays
-- input { [1i64, 2i64, 3i64] [1i64, -2i64, 4i64] [3i64, 5i64, -1i64] } output { true }

-- ==
-- entry: quotients
-- input { 100i64 3i64 } output { 0i64 -11i64 }
-- input { 1099511627776i64 4294967296i64 } output { 0i64 0i64 }

-- ==
-- entry: equal_to_neutral
-- input { [9223372036854775807i64, 9223372036854775807i64] [5i64, 7i64] } output { 5i64 [5i64, 5i64] }

def sum = i64.sum

def squares [n] (xs: [n]i64) = map2 (\x i -> x * x + i * xs[(i + 1) % n]) xs (iota n)
def total [n] (xs: [n]i64) = replicate n (sum (map (\x -> x * xs[0]) xs))
def product [n] (xs: [n]i64) = map (* i64.product xs) xs
def prefixes [n] (xs: [n]i64) = scan (*) 1 xs
def sums [n] (xs: [n]i64) = scan (+) 0 xs
def pairs [n] (xs: [n]i64) =
  let f (a, b) (c, d) = (a * c, b * c + d)
  in map (\(a, b) -> a + b) (scan f (1, 0) (zip xs (map (+ 1) xs)))
def captured_operator [n] (xs: [n]i64) =
  let c = xs[0]
  in map (+ reduce (\a b -> a * b + c * 0 + a * 0) 1 xs) xs
def least [n] (xs: [n]i64) = map (\x -> x * i64.minimum xs * i64.maximum xs) xs
def bins [n] (xs: [n]i64) =
  reduce_by_index (map (* 2) xs) (+) 0 (map (\i -> (i * 3) % (n + 1)) (iota n)) (map (\x -> x * x) xs)
def product_bins [n] (xs: [n]i64) =
  reduce_by_index (copy xs) (*) 1 (map (\i -> i / 2) (iota n)) (map (\x -> x + 1) xs)
def writes [n] (xs: [n]i64) =
  scatter (map (* 3) xs) (map (\i -> if i % 2 == 0 then i else -1) (iota n)) (map (\x -> x * x) xs)
def updates [n] (xs: [n]i64) =
  loop ys = copy xs for i < n - 1 do ys with [i + 1] = ys[i] * ys[i + 1] + xs[i]
def loops [n] (xs: [n]i64) =
  map (\x -> (loop (a, k) = (x, 0) while k < 3 do (a * xs[k % n], k + 1)).0) xs
def triangle [n] (xs: [n]i64) =
  map (\x -> loop a = x for i < 4 do loop a for j < i do a * xs[j % n] + 1) xs
def branches [n] (xs: [n]i64) =
  let ys = map2 (\x i -> if i % 2 == 0 then x * x else x * xs[0]) xs (iota n)
  in rotate 1 (reverse ys)

def dot [n] (xs: [n]i64) (ys: [n]i64) = sum (map2 (*) xs ys)
def same [n] (xs: [n]i64) (ys: [n]i64) = and (map2 (==) xs ys)
def is_dual [n] (f: [n]i64 -> [n]i64) (x: [n]i64) (u: [n]i64) (v: [n]i64) =
  dot u (jvp f x v) == dot (vjp f x u) v && same (jvp2 f x v).0 (f x) && same (vjp2 f x u).0 (f x)
  && same (mjp f x [u, v])[0] (vjp f x u) && same (jmp f x [u, v])[1] (jvp f x v)

entry duality [n] (x: [n]i64) (u: [n]i64) (v: [n]i64) =
  [ is_dual squares x u v, is_dual total x u v, is_dual product x u v, is_dual prefixes x u v, is_dual sums x u v
  , is_dual pairs x u v, is_dual captured_operator x u v, is_dual least x u v, is_dual bins x u v
  , is_dual product_bins x u v, is_dual writes x u v, is_dual updates x u v, is_dual loops x u v
  , is_dual triangle x u v, is_dual branches x u v ]

def is_step [n] (f: [n]i64 -> [n]i64) (x: [n]i64) (v: [n]i64) =
  let far = f (map2 (\x v -> x + (v << 32)) x v)
  in same (map2 (-) far (f x)) (map (<< 32) (jvp f x v))

entry step [n] (x: [n]i64) (v: [n]i64) =
  [ is_step squares x v, is_step product x v, is_step prefixes x v, is_step pairs x v, is_step updates x v, is_step loops x v
  , is_step triangle x v ]

-- What operators capture has adjoints, and the tangent of a neutral element is its own.
entry captured (c: f64) : (f64, f64, f64, f64) =
  let reduction c = reduce (\x y -> x * y * c) (1 / c) [1, 2, 3]
  let scanned c = f64.sum (scan (\x y -> x * y * c) (1 / c) [1, 2, 3])
  in (jvp reduction c 1, vjp reduction c 1, jvp scanned c 1, vjp scanned c 1)

entry conventions (x: f64) : []f64 =
  [ jvp f64.atan x 1, jvp f64.atanpi x 1, vjp f64.atanh x 1, (vjp (uncurry f64.atan2) (1, 2) 1).0
  , (vjp (uncurry f64.atan2) (1, 2) 1).1, (vjp (uncurry f64.copysign) (-3, -2) 1).0, (vjp (uncurry (%)) (7.5, 2) 1).1
  , (vjp (uncurry f64.hypot) (0, 0) 1).0, vjp f64.lgamma 1.5 1 ]

entry nested (x: f64) (y: f64) : []f64 =
  let f (x: f64) = x * x * x * y
  in [ jvp (\x -> vjp f x 1) x 1, vjp (\x -> jvp f x 1) x 1, jvp (\x -> jvp f x 1) x 1, vjp (\x -> vjp f x 1) x 1 ]

-- The square of a divisor may be zero.
entry quotients (x: i64) (z: i64) : (i64, i64) = vjp (\(x, z) -> x // z) (x, z) 1

-- The inner map reads an array from outside of the outer one, and one that is made inside.
entry inner_arrays [n] (x: [n]i64) (u: [n]i64) (v: [n]i64) =
  let f (xs: [n]i64) =
    map (\i -> let ys = map (\x -> x * xs[i]) xs
               in sum (map (\j -> ys[(j + i) % n] * xs[(j * i) % n]) (iota n)))
        (iota n)
  in is_dual f x u v

entry equal_to_neutral [n] (xs: [n]i64) (dxs: [n]i64) =
  (jvp i64.minimum xs dxs, jvp (scan i64.min i64.highest) xs dxs)
