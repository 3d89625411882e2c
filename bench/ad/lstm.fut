-- An LSTM over batches, the mean squared error of what it predicts, and the gradient of that with respect to all weights.
-- ==
-- entry: primal gradient
-- random input { [10][64][32]f32 [10][64][32]f32 [4][64][32]f32 [4][64][64]f32 [4][64]f32 [32][64]f32 [32]f32 }
-- large random input { [20][1024][300]f32 [20][1024][300]f32 [4][192][300]f32 [4][192][192]f32 [4][192]f32 [300][192]f32 [300]f32 }

def sigmoid (x: f32) = 1 / (1 + f32.exp (-x))

-- The rows of `xs` times the transposed matrix.
def product [n] [m] [p] (xs: [n][m]f32) (w: [p][m]f32) : [n][p]f32 =
  map (\x -> map (\row -> f32.sum (map2 (*) x row)) w) xs

def step [b] [d] [h] (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32) (x: [b][d]f32) (hs: [b][h]f32) (cs: [b][h]f32) =
  let gate i = map2 (map3 (\e u v -> e + u + v) bias[i]) (product x wx[i]) (product hs wh[i])
  let (i, f, g, o) = (gate 0, gate 1, gate 2, gate 3)
  let cs = map4 (map4 (\c i f g -> sigmoid f * c + sigmoid i * f32.tanh g)) cs i f g
  in (map2 (map2 (\o c -> sigmoid o * f32.tanh c)) o cs, cs)

def loss [t] [b] [d] [h] (xs: [t][b][d]f32) (ys: [t][b][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32)
                         (wy: [d][h]f32) (by: [d]f32) : f32 =
  let zeros = replicate b (replicate h 0)
  let (total, _, _) =
    loop (total, hs, cs) = (0, zeros, zeros) for i < t do
      let (hs, cs) = step wx wh bias xs[i] hs cs
      let out = map (map2 (+) by) (product hs wy)
      let wrong = map2 (map2 (\u v -> (u - v) * (u - v))) out ys[i]
      in (total + f32.sum (map f32.sum wrong), hs, cs)
  in total / f32.i64 (t * b * d)

entry primal [t] [b] [d] [h] (xs: [t][b][d]f32) (ys: [t][b][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32)
                             (wy: [d][h]f32) (by: [d]f32) = loss xs ys wx wh bias wy by

entry gradient [t] [b] [d] [h] (xs: [t][b][d]f32) (ys: [t][b][d]f32) (wx: [4][h][d]f32) (wh: [4][h][h]f32) (bias: [4][h]f32)
                               (wy: [d][h]f32) (by: [d]f32) =
  vjp (\(wx, wh, bias, wy, by) -> loss xs ys wx wh bias wy by) (wx, wh, bias, wy, by) 1
