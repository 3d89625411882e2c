-- The library that the clients in this folder use: every kind of type that crosses the border.

type point = {x: f32, y: f32}
type~ extremes = (i32, i32, []i32)
type~ path = {name: i32, points: []point}
type shape = #circle f32 | #line point point | #empty | #samples [3]f64

-- | Arrays of one and of two dimensions, and a size that two arguments share.
entry dot [n] (xs: [n]i32) (ys: [n]i32) : i32 = reduce (+) 0 (map2 (*) xs ys)

entry transposed (m: [][]f64) : [][]f64 = transpose m

entry scaled (k: f32) (xs: *[]f32) : *[]f32 = map (* k) xs

entry bytes (n: i64) : []u8 = map u8.i64 (iota n)

entry flags (xs: []i64) : []bool = map (> 0) xs

entry halves (xs: []f16) : []f16 = map (/ 2) xs

-- A tuple is an opaque value with fields, whether its type has a name or not. (The crate futhark-bindgen does not
-- understand types without names that contain arrays.)
entry extremes (xs: []i32) : extremes = (i32.minimum xs, i32.maximum xs, reverse xs)

entry divmod (a: i32) (b: i32) : (i32, i32) = (a / b, a % b)

entry unit (x: ()) : () = x

-- Records, records in records, arrays of records.
entry midpoint (a: point) (b: point) : point = {x = (a.x + b.x) / 2, y = (a.y + b.y) / 2}

entry polygon (n: i64) : path =
  let corner i =
    let t = 2 * f32.pi * f32.i64 i / f32.i64 n
    in {x = f32.cos t, y = f32.sin t}
  in {name = i32.i64 n, points = tabulate n corner}

entry perimeter (p: path) : f32 =
  let distance (a: point) (b: point) = f32.sqrt ((a.x - b.x) ** 2 + (a.y - b.y) ** 2)
  in f32.sum (map2 distance p.points (rotate 1 p.points))

entry points (p: path) : []point = p.points

-- Sums.
entry area (s: shape) : f64 =
  match s
  case #circle r -> f64.f32 (f32.pi * r * r)
  case #line _ _ -> 0
  case #empty -> 0
  case #samples xs -> f64.sum xs

entry grown (s: shape) : shape =
  match s
  case #circle r -> #circle (2 * r)
  case #line a b -> #line a {x = 2 * b.x, y = 2 * b.y}
  case #empty -> #circle 1
  case #samples xs -> #samples (map (* 2) xs)

-- Errors, and much memory.
entry pick (xs: []i32) (i: i64) : i32 = xs[i]

entry divided (a: i32) (b: i32) : i32 = a / b

entry huge (n: i64) : i64 = i64.sum (reverse (map (\i -> i * i) (iota n)))

entry huge_array (n: i64) : []i64 = map (\i -> i * i) (iota n)

-- Something that takes a while.
entry busy (n: i64) : i64 =
  loop acc = 0 for i < n do acc * 6364136223846793005 + i
