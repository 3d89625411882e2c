-- The least x, for the largest y, of `(x1^2 + x2^2) - (y1^2 + y2^2)`, both by steps along the gradient, in all combinations of modes.
-- ==
-- entry: ff_primal ff_gradient fr_primal fr_gradient rf_primal rf_gradient rr_primal rr_gradient
-- input { 300i64 1000i64 }

type point = (f64, f64)

def f (x: point) (y: point) : f64 = x.0 * x.0 + x.1 * x.1 - (y.0 * y.0 + y.1 * y.1)

def forward (g: point -> f64) (x: point) : point = (jvp g x (1, 0), jvp g x (0, 1))
def reverse (g: point -> f64) (x: point) : point = vjp g x 1

def largest (gradient: (point -> f64) -> point -> point) (steps: i64) (x: point) : f64 =
  let y = loop y = (0.5, 0.25) for _i < steps do
            let d = gradient (f x) y
            in (y.0 + 0.1 * d.0, y.1 + 0.1 * d.1)
  in f x y

def least (gradient: (point -> f64) -> point -> point) (inner: (point -> f64) -> point -> point) (steps: i64) (many: i64) : point =
  loop x = (1, 2) for _i < steps do
    let d = gradient (largest inner many) x
    in (x.0 - 0.1 * d.0, x.1 - 0.1 * d.1)

-- As many steps, without the outer gradients.
def plain (inner: (point -> f64) -> point -> point) (steps: i64) (many: i64) : f64 =
  loop s = 0 for i < steps do s + largest inner many (f64.i64 i, s)

entry ff_primal (steps: i64) (many: i64) = plain forward steps many
entry ff_gradient (steps: i64) (many: i64) = least forward forward steps many
entry fr_primal (steps: i64) (many: i64) = plain reverse steps many
entry fr_gradient (steps: i64) (many: i64) = least forward reverse steps many
entry rf_primal (steps: i64) (many: i64) = plain forward steps many
entry rf_gradient (steps: i64) (many: i64) = least reverse forward steps many
entry rr_primal (steps: i64) (many: i64) = plain reverse steps many
entry rr_gradient (steps: i64) (many: i64) = least reverse reverse steps many
