-- A charged particle flies past two others until it reaches the ground; where, depends on the position of one of them. The derivative of the
-- square of that place, with the force as a gradient, in all combinations of modes.
-- ==
-- entry: ff_primal ff_gradient fr_primal fr_gradient rf_primal rf_gradient rr_primal rr_gradient
-- input { 200i64 }

type point = (f64, f64)

def forward (g: point -> f64) (x: point) : point = (jvp g x (1, 0), jvp g x (0, 1))
def reverse (g: point -> f64) (x: point) : point = vjp g x 1

def potential (w: f64) (x: point) : f64 =
  let near (p: point) = 1 / f64.sqrt ((x.0 - p.0) ** 2 + (x.1 - p.1) ** 2)
  in near (10, 10 - w) + near (10, 0)

def landing (gradient: (point -> f64) -> point -> point) (w: f64) : f64 =
  let (x, v) =
    loop (x, v) = ((0, 8), (0.75, 0)) while x.1 > 0 do
      let force = gradient (potential w) x
      let v = (v.0 - 0.1 * force.0, v.1 - 0.1 * force.1)
      in ((x.0 + 0.1 * v.0, x.1 + 0.1 * v.1), v)
  let last = x.0 - x.1 / v.1 * v.0
  in last * last

def many (n: i64) : [n]f64 = tabulate n (\i -> f64.i64 i / f64.i64 n)

entry ff_primal (n: i64) = map (landing forward) (many n)
entry ff_gradient (n: i64) = map (\w -> jvp (landing forward) w 1) (many n)
entry fr_primal (n: i64) = map (landing reverse) (many n)
entry fr_gradient (n: i64) = map (\w -> jvp (landing reverse) w 1) (many n)
entry rf_primal (n: i64) = map (landing forward) (many n)
entry rf_gradient (n: i64) = map (\w -> vjp (landing forward) w 1) (many n)
entry rr_primal (n: i64) = map (landing reverse) (many n)
entry rr_gradient (n: i64) = map (\w -> vjp (landing reverse) w 1) (many n)
