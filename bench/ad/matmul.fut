-- A matrix product, and its gradient with respect to both matrices.
-- ==
-- entry: primal gradient
-- random input { [512][512]f32 [512][512]f32 [512][512]f32 }
-- random input { [1024][1024]f32 [1024][1024]f32 [1024][1024]f32 }
-- large random input { [4096][4096]f32 [4096][4096]f32 [4096][4096]f32 }

def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\row -> map (\col -> f32.sum (map2 (*) row col)) (transpose b)) a

entry primal [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) (_: [n][p]f32) = matmul a b

entry gradient [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) (g: [n][p]f32) =
  vjp (\(a, b) -> matmul a b) (a, b) g
