-- Weights in layers, one step of descent after the other: the new ones replace the old ones, whichever version makes them.
-- ==
-- input { 2i64 [[[1f32, 2f32], [3f32, 4f32]], [[0f32, 1f32], [1f32, 0f32]]] [[1f32, 0f32], [2f32, 1f32]] [[0f32, 1f32], [1f32, 1f32]] }
-- output { [[[-1f32, -2f32], [-1f32, -6f32]], [[-2f32, -1f32], [-1f32, -4f32]]] }
entry main [n] [m] (steps: i64) (layers: *[2][n][n]f32) (xs: [n][m]f32) (ys: [n][m]f32) =
  loop layers for _i < steps do
    let (a, b) =
      unzip (map4 (\x y before_a before_b ->
               unzip (map4 (\u v a b -> (a - f32.sum (map2 (*) x u), b - f32.sum (map2 (*) y v))) xs ys before_a before_b))
               xs ys layers[0] layers[1])
    in (layers with [0] = a) with [1] = b
