-- A hand: 26 numbers are its pose, which moves the bones, and these the vertices of a mesh. The Jacobian of the distances between vertices and
-- measured points by the pose, in as many directions; `complicated` also by the places of the points on triangles, all of them in two directions.
-- ==
-- entry: simple_primal simple_jacobian complicated_primal complicated_jacobian
-- input { 544i64 1000i64 }

type vector = [3]f64
type matrix = [4][4]f64

def bones : i64 = 22

def times (a: matrix) (b: matrix) : matrix =
  tabulate_2d 4 4 (\i j -> a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j] + a[i, 3] * b[3, j])

-- The angles about x, z and y.
def euler (r: vector) : matrix =
  let (cx, sx, cz, sz, cy, sy) = (f64.cos r[0], f64.sin r[0], f64.cos r[1], f64.sin r[1], f64.cos r[2], f64.sin r[2])
  in [[cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz, 0],
      [cy * sz, cx * cz + sx * sy * sz, cx * sy * sz - sx * cz, 0],
      [-sy, sx * cy, cx * cy, 0],
      [0, 0, 0, 1]]

-- A rotation about an axis, by as much as it is long.
def rotation (r: vector) : [3][3]f64 =
  let angle = f64.sqrt (r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
  in if angle < 1e-4 then [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
     else let (x, y, z) = (r[0] / angle, r[1] / angle, r[2] / angle)
          let (c, s) = (f64.cos angle, f64.sin angle)
          let d = 1 - c
          in [[x * x * d + c, x * y * d - z * s, x * z * d + y * s],
              [x * y * d + z * s, y * y * d + c, y * z * d - x * s],
              [x * z * d - y * s, y * z * d + x * s, z * z * d + c]]

-- The angles of a bone.
def angles (theta: [26]f64) (bone: i64) : vector =
  let j = bone + 3
  in if j == 3 || j % 4 == 0 then [0, 0, 0]
     else if j % 4 == 1 then [theta[j + 1], theta[j + 2], 0]
     else [theta[j + 2], 0, 0]

type~ hand [v] =
  { parents: [bones]i64, base: [bones]matrix, inverse: [bones]matrix, positions: [v][4]f64, weights: [v][bones]f64 }

def vertices [v] (hand: hand [v]) (theta: [26]f64) : [v]vector =
  let relative = map2 (\base bone -> times base (euler (angles theta bone))) hand.base (iota bones)
  let absolute =
    loop all = copy relative for bone in 1..<bones do
      let moved = times (copy all[hand.parents[bone]]) (copy relative[bone])
      in all with [bone] = moved
  let transforms = map2 times absolute hand.inverse
  let turn = rotation [theta[0], theta[1], theta[2]]
  in map2 (\p ws ->
             let moved =
               tabulate 3 (\r -> f64.sum (map2 (\w t -> w * (t[r, 0] * p[0] + t[r, 1] * p[1] + t[r, 2] * p[2] + t[r, 3] * p[3])) ws transforms))
             in tabulate 3 (\r -> turn[r, 0] * moved[0] + turn[r, 1] * moved[1] + turn[r, 2] * moved[2] + theta[3 + r]))
          hand.positions hand.weights

def data (v: i64) (n: i64) =
  let number (i: i64) : f64 = 0.1 + f64.i64 ((i * 2806196910506780709) >> 33 & 1023) / 1024
  let affine i : matrix = tabulate_2d 4 4 (\r c -> if r == 3 then f64.bool (c == 3) else number (i * 12 + r * 4 + c) - 0.5)
  let hand =
    { parents = tabulate bones (\b -> i64.max 0 (if b % 4 == 1 then 0 else b - 1)), base = tabulate bones affine
    , inverse = tabulate bones (\b -> affine (b + 100)), positions = tabulate_2d v 4 (\i j -> if j == 3 then 1 else number (i * 3 + j))
    , weights = tabulate_2d v bones (\i j -> number (i * bones + j) / 22) }
  let theta = tabulate 26 (\i -> number (i + 77))
  let points = tabulate_2d n 3 (\i j -> number (i * 3 + j + 13))
  let seen = tabulate n (\i -> i * 104729 % v)
  let triangles = tabulate n (\i -> (i % v, (i + 1) % v, i * 7919 % v))
  let places = tabulate_2d n 2 (\i j -> number (i + j) / 3)
  in (hand, theta, points, seen, triangles, places)

def simple [v] [n] (hand: hand [v]) (points: [n]vector) (seen: [n]i64) (theta: [26]f64) : [n]vector =
  let all = vertices hand theta
  in map2 (\p i -> tabulate 3 (\r -> p[r] - all[i, r])) points seen

def complicated [v] [n] (hand: hand [v]) (points: [n]vector) (triangles: [n](i64, i64, i64)) (theta: [26]f64, places: [n][2]f64) : [n]vector =
  let all = vertices hand theta
  in map3 (\p (a, b, c) u -> tabulate 3 (\r -> p[r] - (u[0] * all[a, r] + u[1] * all[b, r] + (1 - u[0] - u[1]) * all[c, r])))
          points triangles places

entry simple_primal (v: i64) (n: i64) =
  let (hand, theta, points, seen, _, _) = data v n
  in simple hand points seen theta

entry simple_jacobian (v: i64) (n: i64) =
  let (hand, theta, points, seen, _, _) = data v n
  in jmp (simple hand points seen) theta (tabulate_2d 26 26 (\i j -> f64.bool (i == j)))

entry complicated_primal (v: i64) (n: i64) =
  let (hand, theta, points, _, triangles, places) = data v n
  in complicated hand points triangles (theta, places)

entry complicated_jacobian (v: i64) (n: i64) =
  let (hand, theta, points, _, triangles, places) = data v n
  let seeds = tabulate 28 (\i -> (tabulate 26 (\j -> f64.bool (i == j)), replicate n [f64.bool (i == 26), f64.bool (i == 27)]))
  in jmp (complicated hand points triangles) (theta, places) seeds
