-- The least x, for the largest y, of `(x1^2 + x2^2) + c (x1 y1 + x2 y2) - (y1^2 + y2^2)`, both by steps along the gradient, in all combinations of
-- modes. Where they start, and c, come with the data; without c, no derivative by x would need the steps of y.
-- ==
-- entry: ff_primal ff_gradient fr_primal fr_gradient rf_primal rf_gradient rr_primal rr_gradient
-- input { 300i64 1000i64 0.1 [1.0, 2.0] [0.5, 0.25] }

type point = (f64, f64)
type data = {coupling: f64, start: point}

def f (c: f64) (x: point) (y: point) : f64 =
  x.0 * x.0 + x.1 * x.1 + c * (x.0 * y.0 + x.1 * y.1) - (y.0 * y.0 + y.1 * y.1)

def forward (g: point -> f64) (x: point) : point = (jvp g x (1, 0), jvp g x (0, 1))
def reverse (g: point -> f64) (x: point) : point = vjp g x 1

def largest (gradient: (point -> f64) -> point -> point) (d: data) (steps: i64) (x: point) : f64 =
  let y = loop y = d.start for _i < steps do
            let g = gradient (f d.coupling x) y
            in (y.0 + 0.1 * g.0, y.1 + 0.1 * g.1)
  in f d.coupling x y

def least (gradient: (point -> f64) -> point -> point) (inner: (point -> f64) -> point -> point) (steps: i64) (many: i64) (d: data) (x: point) : point =
  loop x for _i < steps do
    let g = gradient (largest inner d many) x
    in (x.0 - 0.1 * g.0, x.1 - 0.1 * g.1)

-- As many steps, without the outer gradients.
def plain (inner: (point -> f64) -> point -> point) (steps: i64) (many: i64) (d: data) (x: point) : f64 =
  loop s = 0 for i < steps do s + largest inner d many (x.0 + f64.i64 i, x.1 + s)

def point (xs: [2]f64) : point = (xs[0], xs[1])
def data (c: f64) (ys: [2]f64) : data = {coupling = c, start = point ys}

entry ff_primal (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = plain forward steps many (data c ys) (point xs)
entry ff_gradient (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = least forward forward steps many (data c ys) (point xs)
entry fr_primal (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = plain reverse steps many (data c ys) (point xs)
entry fr_gradient (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = least forward reverse steps many (data c ys) (point xs)
entry rf_primal (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = plain forward steps many (data c ys) (point xs)
entry rf_gradient (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = least reverse forward steps many (data c ys) (point xs)
entry rr_primal (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = plain reverse steps many (data c ys) (point xs)
entry rr_gradient (steps: i64) (many: i64) (c: f64) (xs: [2]f64) (ys: [2]f64) = least reverse reverse steps many (data c ys) (point xs)
