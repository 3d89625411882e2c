-- LU decomposition of a matrix of b x b blocks: the diagonal, the perimeters, the inside.

-- | A block as a product of a lower and an upper triangle.
def diagonal [b] (block: [b][b]f64) : *[b][b]f64 =
  loop m = copy block for k < b do
    loop m for i in k + 1..<b do
      let m[i, k] = m[i, k] / m[k, k]
      in loop m for j in k + 1..<b do
        m with [i, j] = m[i, j] - m[i, k] * m[k, j]

-- | The solution of `l x = block` for the lower triangle of the diagonal.
def right [b] (diag: [b][b]f64) (block: [b][b]f64) : *[b][b]f64 =
  loop m = copy block for i < b do
    loop m for k < i do
      loop m for j < b do
        m with [i, j] = m[i, j] - diag[i, k] * m[k, j]

-- | The solution of `x u = block` for the upper triangle of the diagonal.
def below [b] (diag: [b][b]f64) (block: [b][b]f64) : *[b][b]f64 =
  loop m = copy block for j < b do
    loop m for i < b do
      let sum = loop sum = m[i, j] for k < j do sum - m[i, k] * diag[k, j]
      in m with [i, j] = sum / diag[j, j]

-- ==
-- input { [[[[4.0, 2.0], [2.0, 3.0]], [[2.0, 0.0], [1.0, 1.0]]], [[[2.0, 1.0], [0.0, 1.0]], [[5.0, 1.0], [1.0, 4.0]]]] }
-- output { [[[[4f64, 2f64], [0.5f64, 2f64]], [[2f64, 0f64], [0f64, 1f64]]], [[[0.5f64, 0f64], [0f64, 0.5f64]], [[4f64, 1f64], [0.25f64, 3.25f64]]]] }
entry main [q] [b] (blocks: *[q][q][b][b]f64) : [q][q][b][b]f64 =
  #[unsafe] loop m = blocks for s < q do
    let m[s, s] = diagonal m[s, s]
    let m[s, s + 1:] = map (right m[s, s]) m[s, s + 1:]
    let m[s + 1:, s] = map (below m[s, s]) m[s + 1:, s]
    let inside =
      map2 (\row l ->
              map2 (\block u -> map2 (\xs ls -> map2 (\x us -> x - reduce (+) 0 (map2 (*) ls us)) xs (transpose u)) block l)
                   row
                   m[s, s + 1:])
           m[s + 1:, s + 1:]
           m[s + 1:, s]
    in m with [s + 1:, s + 1:] = inside
