-- Forces between bodies in the plane, by a tree: a square that is far enough away counts as one body in its centre of mass;
-- any other is opened. Squares are divided into four so many times; the smallest ones contain different numbers of bodies.
import "lib/rows"

-- ==
-- entry: agree
-- nobench script input { bodies 60i64 2 } output { true }
-- nobench script input { bodies 5i64 0 } output { true }

-- ==
-- entry: close
-- nobench script input { bodies 60i64 3 } output { true }

-- ==
-- entry: nested flat rows
-- nobench input { [0f32, 1f32] [0f32, 0f32] [0i64, 2i64] 0i64 } output { [0.99985f32, -0.99985f32] [0f32, 0f32] }
-- "10^4" notest script input { bodies 10000i64 5 }
-- "10^5" notest script input { bodies 100000i64 7 }
-- "10^6" notest script input { bodies 1000000i64 9 }

type vec = (f32, f32)

def add (a: vec) (b: vec) : vec = (a.0 + b.0, a.1 + b.1)

-- The squares of level k of the tree begin here, in the order of a curve: the parts of square i are 4 * i to 4 * i + 3 of the
-- next level.
def base (k: i64) : i64 = ((1 << (2 * k)) - 1) / 3

-- The smallest square around a point.
def square (depth: i64) ((x, y): vec) : i64 =
  let side = 1 << depth
  let part x = i64.max 0 (i64.min (side - 1) (i64.f32 (x * f32.i64 side)))
  let (i, j) = (part x, part y)
  in loop code = 0 for k < depth do code | ((i >> k & 1) << (2 * k + 1)) | ((j >> k & 1) << (2 * k))

-- Bodies in order of their squares, more of them near one corner; and where those of each square begin.
entry bodies (n: i64) (depth: i32) : ([n]f32, [n]f32, []i64, i64) =
  let depth = i64.i32 depth
  let coordinate i = (f32.i64 (hash i % 1000003) / 1000003) ** 2
  let points = map (\i -> (coordinate i, coordinate (i + n))) (iota n)
  let codes = map (square depth) points
  let bit k order =
    let (zero, one) = partition (\i -> codes[i] >> k & 1 == 0) order
    in sized n (zero ++ one)
  let order = loop order = iota n for k < 2 * depth do bit k order
  let (xs, ys) = unzip (map (\i -> points[i]) order)
  in (xs, ys, offsets (hist (+) 0 (1 << (2 * depth)) codes (replicate n 1)), depth)

-- The number of bodies in each square of the tree, and their centre.
def tree [n] [k] (xs: [n]f32) (ys: [n]f32) (begins: [k]i64) (depth: i64) : ([](f32, vec)) =
  let leaf i =
    loop (m, (x, y)) = (0, (0, 0)) for j in begins[i]..<begins[i + 1] do
      (m + 1, (x + xs[j], y + ys[j]))
  let leaves = map leaf (iota (1 << (2 * depth)))
  let sums =
    replicate (base (depth + 1)) (0, (0, 0))
      with [base depth:base (depth + 1)] = sized (base (depth + 1) - base depth) leaves
  let sums =
    loop sums for i < depth do
      let level = depth - 1 - i
      let of_four j =
        let part k = sums[base (level + 1) + 4 * j + k]
        in reduce (\(m, a) (n, b) -> (m + n, add a b)) (0, (0, 0)) (map part (iota 4))
      let next = map of_four (iota (base (level + 1) - base level))
      in sums with [base level:base (level + 1)] = next
  in map (\(m, (x, y)) -> (m, if m == 0 then (0, 0) else (x / m, y / m))) sums

-- The force of so many bodies in one place.
def force ((x, y): vec) (m: f32) ((u, v): vec) : vec =
  let (dx, dy) = (u - x, v - y)
  let d = dx * dx + dy * dy + 1e-4
  let f = m / (d * f32.sqrt d)
  in (f * dx, f * dy)

-- Whether a square of a level counts as one body.
def far (level: i64) ((x, y): vec) ((u, v): vec) : bool =
  let side = 1 / f32.i64 (1 << level)
  in side * side < 0.25 * ((u - x) * (u - x) + (v - y) * (v - y))

-- The walk of a body: a stack of squares to look at. `all` gives the force of all bodies in a smallest square.
def walk [s] (depth: i64) (squares: [s](f32, vec)) (all: vec -> i64 -> vec) (p: vec) : vec =
  let stack = replicate 64 (0i8, 0i32)
  let (sum, _, _) =
    loop (sum, stack, top) = ((0, 0), stack, 1) while top > 0 do
      let (level, i) = stack[top - 1]
      let (level, i) = (i64.i8 level, i64.i32 i)
      let (m, centre) = squares[base level + i]
      in if m == 0
         then (sum, stack, top - 1)
         else if far level p centre
         then (add sum (force p m centre), stack, top - 1)
         else if level == depth
         then (add sum (all p i), stack, top - 1)
         else let stack =
                loop stack for k < 4 do
                  stack with [top - 1 + k] = (i8.i64 (level + 1), i32.i64 (4 * i + k))
              in (sum, stack, top + 3)
  in sum

entry nested [n] [k] (xs: [n]f32) (ys: [n]f32) (begins: [k]i64) (depth: i64) : ([n]f32, [n]f32) =
  let squares = tree xs ys begins depth
  let all p i =
    let (a, b) = (begins[i], begins[i + 1])
    in reduce add (0, 0) (map2 (\u v -> force p 1 (u, v)) xs[a:b] ys[a:b])
  in unzip (map (walk depth squares all) (zip xs ys))

-- All pairs of a body and a square that it looks at, level by level.
entry flat [n] [k] (xs: [n]f32) (ys: [n]f32) (begins: [k]i64) (depth: i64) : ([n]f32, [n]f32) =
  let squares = tree xs ys begins depth
  let (sums, pairs) =
    loop (sums, pairs) = (replicate n (0, 0), map (\i -> (i, 0)) (iota n)) for level < depth + 1 do
      let centre i = squares[base level + i].1
      let (away, near) =
        partition (\(p, i) -> far level (xs[p], ys[p]) (centre i))
                  (filter (\(_, i) -> squares[base level + i].0 > 0) pairs)
      let forces = map (\(p, i) -> force (xs[p], ys[p]) squares[base level + i].0 (centre i)) away
      let sums = reduce_by_index sums add (0, 0) (map (.0) away) forces
      let opened =
        if level == depth then near
        else flatten (map (\(p, i) -> map (\k -> (p, 4 * i + k)) (iota 4)) near)
      in (sums, opened)
  let places = offsets (map (\(_, i) -> begins[i + 1] - begins[i]) pairs)
  let m = last places
  let owners = owners m places
  let forces =
    map2 (\j o ->
            let (p, i) = pairs[o]
            let q = begins[i] + j - places[o]
            in force (xs[p], ys[p]) 1 (xs[q], ys[q]))
         (iota m)
         owners
  in unzip (reduce_by_index sums add (0, 0) (map (\o -> pairs[o].0) owners) forces)

entry rows [n] [k] (xs: [n]f32) (ys: [n]f32) (begins: [k]i64) (depth: i64) : ([n]f32, [n]f32) =
  let squares = tree xs ys begins depth
  let all p i =
    loop sum = (0, 0) for j in begins[i]..<begins[i + 1] do add sum (force p 1 (xs[j], ys[j]))
  in unzip (map (walk depth squares all) (zip xs ys))

-- Whether forces differ by at most a part of the largest of them.
def alike [n] (part: f32) (a: ([n]f32, [n]f32)) (b: ([n]f32, [n]f32)) : bool =
  let most = f32.maximum (map f32.abs (a.0 ++ a.1))
  let near x y = f32.abs (x - y) <= part * most
  in and (map2 near a.0 b.0) && and (map2 near a.1 b.1)

entry agree [n] [k] (xs: [n]f32) (ys: [n]f32) (begins: [k]i64) (depth: i64) : bool =
  let expected = rows xs ys begins depth
  in alike 1e-4 expected (nested xs ys begins depth)
     && alike 1e-4 expected (flat xs ys begins depth)

-- Whether the tree gives almost the same as all pairs of bodies.
entry close [n] [k] (xs: [n]f32) (ys: [n]f32) (begins: [k]i64) (depth: i64) : bool =
  let all p = reduce add (0, 0) (map2 (\u v -> force p 1 (u, v)) xs ys)
  in alike 0.02 (unzip (map all (zip xs ys))) (rows xs ys begins depth)
