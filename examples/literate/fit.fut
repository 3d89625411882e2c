-- # Fitting a curve
--
-- This page is a program. Its comments are what you read, its code is what
-- runs, and a comment that begins with `>` shows what the code computes:
--
--     fehu literate --html fit.html fit.fut
--
-- ## The data
--
-- Somebody measured forty points. They are noisy, and we want the parabola that
-- is closest to them. The noise is from a small generator of random numbers: it
-- is the same each time.

def n : i64 = 40

def noise (i: i64) : f64 =
  let x = (u32.i64 i * 2654435761) ^ 0x9e3779b9
  let x = (x ^ (x >> 15)) * 2246822519
  in f64.u32 ((x ^ (x >> 13)) % 1000) / 1000 - 0.5

def xs : [n]f64 = tabulate n (\i -> f64.i64 i / 10 - 2)

def ys : [n]f64 = map2 (\i x -> 0.5 * x * x - x + 1 + 0.8 * noise i) (iota n) xs

-- ## The fit
--
-- A parabola has three coefficients. How bad they are is the mean of the squared
-- distances; its gradient comes from `vjp`, which differentiates the function
-- as it is written.

type curve = {a: f64, b: f64, c: f64}

def at (k: curve) (x: f64) : f64 = k.a * x * x + k.b * x + k.c

def badness (k: curve) : f64 =
  f64.sum (map2 (\x y -> (at k x - y) ** 2) xs ys) / f64.i64 n

def step (k: curve) : curve =
  let g = vjp badness k 1
  let rate = 0.05
  in {a = k.a - rate * g.a, b = k.b - rate * g.b, c = k.c - rate * g.c}

def fit (steps: i64) : curve =
  iterate (i32.i64 steps) step {a = 0, b = 0, c = 0}

-- After 500 steps the coefficients are close to those that made the data, 0.5,
-- -1 and 1.

-- > fit 500

-- ## The picture

def measured = (xs, ys)

def fitted (steps: i64) = (copy xs, map (at (fit steps)) xs)

-- > :plot {measured = measured, after_5 = fitted 5, after_500 = fitted 500};
-- kind: scatter, line, line
-- title: Forty points and two parabolas
-- x: x
-- y: y

-- ## How fast it learns
--
-- The badness falls quickly at first. With a logarithmic axis one can see that it
-- goes on falling for a long time.

def ladder = map (\i -> 2 ** i) (iota 10)

def progress = (map f64.i64 ladder, map (\k -> badness (fit k)) ladder)

-- > :plot progress;
-- log: xy
-- x: steps
-- y: badness
-- size: (640, 300)

-- > :table {steps = ladder, badness = progress.1}

-- ## The valley
--
-- Each pixel is one parabola with `c = 1`: `a` grows from left to right, `b` from the top down. Bright is good.

def valley (size: i64) : [size][size]f64 =
  let place lo hi i = lo + (hi - lo) * f64.i64 i / f64.i64 size
  let one i j = badness {a = place (-1) 2 j, b = place (-3) 1 i, c = 1}
  in tabulate_2d size size (\i j -> -f64.log (one i j))

-- > :plot valley 120;
-- kind: heatmap
-- x: a
-- y: b
-- size: (420, 360)
