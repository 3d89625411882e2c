-- Small tables of constants, which the compiler computes and whose elements it knows.

def directions : [4][2]i64 = [[0, 1], [1, 0], [0, -1], [-1, 0]]
def width = 5i64
def offsets = map (\d -> d[0] * width + d[1]) directions
def weights = map (\d -> f64.i64 (d[0] + 2 * d[1])) directions

-- ==
-- entry: neighbours
-- input { [[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0], [11.0, 12.0, 13.0, 14.0, 15.0]] }
-- output { [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 14.0, 14.0, 14.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
--          [[0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 12.0, 13.0, 14.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]] [5i64, -1i64, -5i64, 1i64] }

-- Inside, what is around is added up, with weights, and the largest is found by a loop; the table itself is a result.
entry neighbours [n] (xs: [n][width]f64) =
  let flat = flatten xs
  let inside f =
    tabulate_2d n width (\i j ->
                           if i > 0 && i < n - 1 && j > 0 && j < width - 1 then f (i * width + j) else 0)
  let sums = inside (\at -> f64.sum (map2 (\d w -> w * flat[at + d]) offsets weights))
  let largest =
    inside (\at -> loop x = flat[at] for k < 4 do f64.max x flat[at + offsets[k]])
  in (sums, largest, map (\k -> offsets[(k + 1) % 4]) (iota 4))

-- ==
-- entry: far
-- input { 2i64 } output { [3i64, 10i64, 9i64] }
-- input { 16i64 } error: out of bounds

-- What a table leads to is checked, as elsewhere.
def steps = map (\k -> k * k) [0i64, 1, 2]
entry far (at: i64) =
  let xs = map (\i -> i * 7 % 11) (iota 20)
  in head (map (\at -> map (\s -> xs[at + s]) steps) [at])
