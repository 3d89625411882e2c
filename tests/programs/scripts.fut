-- Inputs that are made by expressions over the entry points.
-- ==
-- entry: weight
-- script input { make 4i64 } output { 6.0f32 4i64 }
-- "by hand" script input { (2, [1f32, 2.5]) } output { 3.5f32 2i64 }
-- script input { let (n, xs) = make 3 in (n, xs) } output { 3f32 3i64 }
-- script input @ data/weight.script output { 1f32 4i64 }
-- random input { 3i64 [3]f32 } auto output
-- script input { make 1i64 } auto output

entry make (n: i64) : (i64, [n]f32) = (n, map f32.i64 (iota n))

entry weight (n: i64) (xs: []f32) : (f32, i64) = (f32.sum xs, n)

-- Values that only the program knows the inside of.
-- ==
-- entry: area
-- script input { circle 2 } output { 12f32 }
-- script input { square 2 } output { 4f32 }
-- script input { largest (shapes 3i64) } output { 27f32 }
-- script input { square (-1f32) } error: a >= 0

type shape = #circle f32 | #square f32

entry circle (r: f32) : shape = #circle r

entry square (a: f32) : shape = #square (assert (a >= 0) a)

entry shapes (n: i64) : [n]shape = map (\i -> #circle (f32.i64 (i + 1))) (iota n)

entry largest [n] (shapes: [n]shape) : shape = shapes[n - 1]

entry area (s: shape) : f32 =
  match s
  case #circle r -> 3 * r * r
  case #square a -> a * a

-- Files: data, and any bytes.
-- ==
-- entry: count
-- script input { ($loaddata "data/numbers.in", $loadbytes "data/zeros.in.gz") } output { 3i64 3i64 }

entry count (xs: []i32) (bytes: []u8) = (length xs, length bytes)
