-- Bundle adjustment: where cameras see points, and the Jacobian of the errors by cameras, points and weights. An observation has two rows of
-- fifteen numbers each, by two adjoints.
-- ==
-- entry: primal jacobian
-- input { 49i64 7776i64 31843i64 }

type camera = [11]f64
type vector = [3]f64

def dot (a: vector) (b: vector) : f64 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

def cross (a: vector) (b: vector) : vector =
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

def rotated (r: vector) (z: vector) : vector =
  let square = dot r r
  in if square == 0 then map2 (+) z (cross r z)
     else let angle = f64.sqrt square
          let u = map (/ angle) r
          let (c, s) = (f64.cos angle, f64.sin angle)
          let d = dot u z * (1 - c)
          in map3 (\z x u -> z * c + x * s + u * d) z (cross u z) u

def residual (m: [2]f64) (cam: camera, x: vector, w: f64) : [2]f64 =
  let y = rotated [cam[0], cam[1], cam[2]] [x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]]
  let (p, q) = (y[0] / y[2], y[1] / y[2])
  let square = p * p + q * q
  let scale = cam[6] * (1 + cam[9] * square + cam[10] * square * square)
  in [w * (cam[7] + scale * p - m[0]), w * (cam[8] + scale * q - m[1])]

def data (n: i64) (m: i64) (p: i64) =
  let number (i: i64) : f64 = 0.1 + f64.i64 ((i * 2806196910506780709) >> 33 & 1023) / 1024
  let cameras = tabulate_2d n 11 (\i j -> number (i * 11 + j))
  let points = tabulate_2d m 3 (\i j -> number (i * 3 + j + 7919))
  let weights = tabulate p number
  let seen = tabulate p (\i -> (i % n, i * 104729 % m))
  let features = tabulate_2d p 2 (\i j -> number (i * 2 + j + 13))
  in (cameras, points, weights, seen, features)

entry primal (n: i64) (m: i64) (p: i64) =
  let (cameras, points, weights, seen, features) = data n m p
  in map3 (\w (c, x) f -> residual f (copy cameras[c], copy points[x], w)) weights seen features

entry jacobian (n: i64) (m: i64) (p: i64) =
  let (cameras, points, weights, seen, features) = data n m p
  in map3 (\w (c, x) f ->
             mjp (residual f) (copy cameras[c], copy points[x], w) [[1, 0], [0, 1]]
             |> map (\(dc, dx, dw) -> dc ++ dx ++ [dw] :> [15]f64))
          weights seen features
