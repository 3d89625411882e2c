-- Alignment scores in blocks of b x b: each block is computed in memory with a border, and the blocks of a diagonal are scattered into the matrix.
-- Scatters of blocks are updates of views.

def block [n] (b: i64) (penalty: i32) (scores: [n*n]i32) (gains: [n*n]i32) (y: i64) (x: i64): [b][b]i32 =
  let at = y * b * n + x * b
  let w = replicate (b + 1) (replicate (b + 1) 0)
  let w = loop w for i < b + 1 do
    let w[0, i] = #[unsafe] scores[at + i]
    let w[i, 0] = #[unsafe] scores[at + i * n]
    in w
  let w = loop w for i < b do
    loop w for j < b do
      w with [i + 1, j + 1] = #[unsafe] i32.max (w[i, j] + gains[at + (i + 1) * n + j + 1]) (i32.max w[i, j + 1] w[i + 1, j] - penalty)
  in w[1:,1:] :> [b][b]i32

-- ==
-- input { 2i64 1 [[0, -1, -2, -3, -4], [-1, 0, 0, 0, 0], [-2, 0, 0, 0, 0], [-3, 0, 0, 0, 0], [-4, 0, 0, 0, 0]] [[0, 0, 0, 0, 0], [0, 2, 1, 0, 3], [0, 1, 2, 0, 1], [0, 0, 5, 1, 0], [0, 1, 0, 0, 2]] }
-- output { [[0, -1, -2, -3, -4], [-1, 2, 1, 0, 0], [-2, 1, 4, 3, 2], [-3, 0, 6, 5, 4], [-4, -1, 5, 6, 7]] }
-- input { 4i64 1 [[0, -1, -2, -3, -4], [-1, 0, 0, 0, 0], [-2, 0, 0, 0, 0], [-3, 0, 0, 0, 0], [-4, 0, 0, 0, 0]] [[0, 0, 0, 0, 0], [0, 2, 1, 0, 3], [0, 1, 2, 0, 1], [0, 0, 5, 1, 0], [0, 1, 0, 0, 2]] }
-- output { [[0, -1, -2, -3, -4], [-1, 2, 1, 0, 0], [-2, 1, 4, 3, 2], [-3, 0, 6, 5, 4], [-4, -1, 5, 6, 7]] }
-- input { 1i64 1 [[0, -1], [-1, 0]] [[0, 0], [0, 3]] }
-- output { [[0, -1], [-1, 3]] }
entry main [n] (b: i64) (penalty: i32) (scores: *[n][n]i32) (gains: [n][n]i32) : [n][n]i32 =
  let b = assert (b >= 1 && (n - 1) % b == 0) b
  let q = (n - 1) / b
  let gains = flatten gains
  let scores = flatten scores
  let scores = loop scores for s < q do
    let blocks = tabulate (s + 1) (\x -> block b penalty scores gains (s - x) x)
    let (is, vs) = unzip (tabulate ((s + 1) * b * b) (\g ->
      let (x, r) = (g / (b * b), g % (b * b))
      let (i, j) = (r / b, r % b)
      in (((s - x) * b + 1 + i) * n + x * b + 1 + j, #[unsafe] blocks[x, i, j])))
    in scatter scores is vs
  let scores = loop scores for t < q - 1 do
    let s = q - 2 - t
    let blocks = tabulate (s + 1) (\x -> block b penalty scores gains (q - 1 - x) (x + q - 1 - s))
    let (is, vs) = unzip (tabulate ((s + 1) * b * b) (\g ->
      let (x, r) = (g / (b * b), g % (b * b))
      let (i, j) = (r / b, r % b)
      in (((q - 1 - x) * b + 1 + i) * n + (x + q - 1 - s) * b + 1 + j, #[unsafe] blocks[x, i, j])))
    in scatter scores is vs
  in unflatten scores
