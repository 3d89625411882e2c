-- # Welcome
--
-- This is fehu, a compiler for the array language Futhark. Everything
-- here runs in your browser. Change the program, and press **Run** or
-- Ctrl+Enter.
--
-- A comment that begins with `>` shows what an expression computes:

def squares (n: i64) : [n]i64 = map (\i -> i * i) (iota n)

-- > squares 10

-- The same with a picture. Arrays know their sizes, and the compiler
-- checks them: hover over a name to see its type.

def waves [n] (xs: [n]f64) : [n]f64 =
  map (\x -> f64.sin x + 0.4 * f64.sin (5 * x)) xs

def range (n: i64) : [n]f64 = tabulate n (\i -> f64.i64 i * 0.05)

def wave : ([200]f64, [200]f64) = let xs = range 200 in (xs, waves xs)

-- > :plot wave

-- Functions on arrays are *fused*: the report shows that `mean_square`
-- makes no array in memory, although it is written with one.

entry mean_square [n] (xs: [n]f64) : f64 =
  f64.sum (map (\x -> x * x) xs) / f64.i64 n

-- > mean_square [1.0, 2.0, 3.0]
