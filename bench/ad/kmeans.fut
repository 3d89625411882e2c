-- The cost of k-means, its gradient with respect to the centres, and a step of Newton's method with the diagonal of the
-- Hessian, which is the derivative of the gradient in the direction of ones.
-- ==
-- entry: primal gradient newton
-- random input { [20000][16]f32 [64][16]f32 }
-- random input { [100000][10]f32 [256][10]f32 }
-- large random input { [494019][35]f32 [5][35]f32 }
-- large random input { [10000][256]f32 [1024][256]f32 }
-- large random input { [2000000][10]f32 [1024][10]f32 }

def squared (x: f32) = x * x

def cost [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : f32 =
  let distance p c = f32.sum (map2 (\x y -> squared (x - y)) p c)
  in f32.sum (map (\p -> f32.minimum (map (distance p) centres)) points)

entry primal [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) = cost points centres

entry gradient [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) =
  vjp (cost points) centres 1

entry newton [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) =
  let ones = replicate k (replicate d 1)
  let (g, h) = jvp2 (\centres -> vjp (cost points) centres 1) centres ones
  in map3 (map3 (\c g h -> c - g / f32.max 1 h)) centres g h
