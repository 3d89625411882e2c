-- An LSTM with diagonal weights that predicts the next part of a sequence, and the gradient of its loss.
-- ==
-- entry: primal gradient
-- random input { [2][8][14]f64 [3][14]f64 [2][2][14]f64 [1024][14]f64 }
-- random input { [2][8][1024]f64 [3][1024]f64 [2][2][1024]f64 [128][1024]f64 }

def sigmoid (x: f64) = 1 / (1 + f64.exp (-x))

-- A layer: weights and biases of the gates are the rows of `w`; the state and the next layer's input.
def layer [d] (w: [8][d]f64) (x: [d]f64) (h: [d]f64) (c: [d]f64) : (*[d]f64, *[d]f64) =
  let gate f i v = map3 (\w b v -> f (v * w + b)) w[i] w[i + 4] v
  let forget = gate sigmoid 0 x
  let enter = gate sigmoid 1 h
  let leave = gate sigmoid 2 x
  let change = gate f64.tanh 3 h
  let c = map4 (\c f i g -> c * f + i * g) c forget enter change
  in (map2 (\o c -> o * f64.tanh c) leave c, c)

def loss [l] [d] [t] (ws: [l][8][d]f64) (es: [3][d]f64) (start: [l][2][d]f64) (xs: [t][d]f64) : f64 =
  let (total, _) =
    loop (total, state) = (0, start) for i < t - 1 do
      let x = map2 (*) xs[i] es[0]
      let (x, state) =
        loop (x, state) = (x, copy state) for j < l do
          let (h, c) = layer ws[j] x state[j, 0] state[j, 1]
          in (h, state with [j] = [h, c])
      let y = map3 (\x e b -> x * e + b) x es[1] es[2]
      let norm = f64.log (2 + f64.sum (map f64.exp y))
      in (total + f64.sum (map2 (\s y -> s * (y - norm)) xs[i + 1] y), state)
  in -total / f64.i64 (d * (t - 1))

entry primal [l] [d] [t] (ws: [l][8][d]f64) (es: [3][d]f64) (start: [l][2][d]f64) (xs: [t][d]f64) =
  loss ws es start xs

entry gradient [l] [d] [t] (ws: [l][8][d]f64) (es: [3][d]f64) (start: [l][2][d]f64) (xs: [t][d]f64) =
  vjp (\(ws, es) -> loss ws es start xs) (ws, es) 1
