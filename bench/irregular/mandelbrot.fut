-- The Mandelbrot set: how many steps each point of the plane takes to escape, which differs from point to point.

-- ==
-- entry: nested flat rows
-- nobench input { 4i64 5i64 50 }
-- output { [[0, 0, 1, 2, 1], [0, 2, 3, 50, 8], [0, 15, 50, 50, 6], [0, 2, 3, 50, 7]] }
-- nobench input { 0i64 5i64 50 } output { empty([0][5]i32) }
-- "1000 x 1000, 255" notest input { 1000i64 1000i64 255 }
-- "1000 x 1000, 100000" notest input { 1000i64 1000i64 100000 }

-- ==
-- entry: agree
-- nobench input { 17i64 19i64 100 } output { true }

def point (h: i64) (w: i64) (y: i64) (x: i64) : (f64, f64) =
  (f64.i64 x * 3.37 / f64.i64 w - 2.31, f64.i64 y * 2.53 / f64.i64 h - 1.261)

def step ((cx, cy): (f64, f64)) ((zx, zy): (f64, f64)) : (f64, f64) =
  (zx * zx - zy * zy + cx, 2 * zx * zy + cy)

def inside ((zx, zy): (f64, f64)) : bool = zx * zx + zy * zy <= 4

def steps (limit: i32) (c: (f64, f64)) : i32 =
  (loop (z, k) = (c, 0) while k < limit && inside z do (step c z, k + 1)).1

entry nested (h: i64) (w: i64) (limit: i32) : [h][w]i32 =
  map (\y -> map (\x -> steps limit (point h w y x)) (iota w)) (iota h)

-- After some steps, more each time, only the points that have not escaped go on.
entry flat (h: i64) (w: i64) (limit: i32) : [h][w]i32 =
  let points = map (\i -> point h w (i / w) (i % w)) (iota (h * w))
  let some (limit: i32) (k: i32) (c, z) =
    loop (z, k) while k < limit && inside z do (step c z, k + 1)
  let (counts, _, _, _) =
    loop (counts, active, zs, k) = (replicate (h * w) 0, iota (h * w), points, 0)
    while k < limit && !(null active) do
      let next = i32.min limit (2 * k + 16)
      let moved = map2 (\i z -> some next k (points[i], z)) active zs
      let counts = scatter counts active (map (.1) moved)
      let (active, zs) = unzip (filter (\(_, z) -> inside z) (zip active (map (.0) moved)))
      in (counts, active, zs, next)
  in unflatten counts

-- A thread for each row of the picture.
entry rows (h: i64) (w: i64) (limit: i32) : [h][w]i32 =
  map (\y -> #[sequential] map (\x -> steps limit (point h w y x)) (iota w)) (iota h)

entry agree (h: i64) (w: i64) (limit: i32) : bool =
  let expected = rows h w limit
  let same others = and (map2 (\a b -> and (map2 (==) a b)) expected others)
  in same (nested h w limit) && same (flat h w limit)
