-- | The mean of some numbers.
entry mean [n] (xs: [n]f64) : f64 = f64.sum xs / f64.i64 n

entry blur [n][m] (k: f32) (image: [n][m]f32) : [n][m]f32 = map (map (* k)) image
entry same (xs: []i32) : []i32 = xs
entry put (xs: *[]i32) (i: i64) (x: i32) : *[]i32 = xs with [i] = x
entry both (xs: []i32) : ([]i32, i64) = (map (+ 1) xs, length xs)

type~ summary = {mean: f64, above: []f64}
entry summary (xs: []f64) : summary = let m = mean xs in {mean = m, above = filter (> m) xs}
entry spread (s: summary) : f64 = f64.maximum s.above - s.mean

type shape = #circle f32 | #rect f32 f32 | #nothing
entry area (s: shape) : f32 = match s case #circle r -> 3 * r * r case #rect a b -> a * b case #nothing -> 0
entry unit (x: f32) : shape = #rect x x
