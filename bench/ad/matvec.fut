-- A matrix times a vector, and its gradient with respect to both.
-- ==
-- entry: primal gradient
-- random input { [4000][3000]f32 [3000]f32 [4000]f32 }
-- large random input { [20000][10000]f32 [10000]f32 [20000]f32 }

def matvec [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) row x)) a

entry primal [n] [m] (a: [n][m]f32) (x: [m]f32) (_: [n]f32) = matvec a x

entry gradient [n] [m] (a: [n][m]f32) (x: [m]f32) (g: [n]f32) =
  vjp (\(a, x) -> matvec a x) (a, x) g
