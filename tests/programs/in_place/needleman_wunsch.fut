-- Alignment scores in blocks of b x b, one diagonal of blocks after the other up to the longest, all in the one matrix.

-- | A block from the column on its left, with the corner, and the row above it.
def block [b] (penalty: i32) (left: [b + 1]i32) (above: [b]i32) (gain: [b][b]i32) : [b][b]i32 =
  loop m = replicate b (replicate b 0) for i < b do
    loop m for j < b do
      let corner = if i == 0 then if j == 0 then left[0] else above[j - 1]
                   else if j == 0 then left[i] else m[i - 1, j - 1]
      let west = if j == 0 then left[i + 1] else m[i, j - 1]
      let north = if i == 0 then above[j] else m[i - 1, j]
      in m with [i, j] = i32.max (corner + gain[i, j]) (i32.max west north - penalty)

-- ==
-- input { 2i64 1 [[0, -1, -2, -3, -4], [-1, 0, 0, 0, 0], [-2, 0, 0, 0, 0], [-3, 0, 0, 0, 0], [-4, 0, 0, 0, 0]] [[0, 0, 0, 0, 0], [0, 2, 1, 0, 3], [0, 1, 2, 0, 1], [0, 0, 5, 1, 0], [0, 1, 0, 0, 2]] }
-- output { [[0, -1, -2, -3, -4], [-1, 2, 1, 0, 0], [-2, 1, 4, 3, 2], [-3, 0, 6, 0, 0], [-4, -1, 5, 0, 0]] }
entry main [n] (b: i64) (penalty: i32) (scores: *[n][n]i32) (gains: [n][n]i32) : [n][n]i32 =
  let b = assert (b >= 1 && (n - 1) % b == 0) b
  let q = (n - 1) / b
  let gains = flatten gains
  in #[unsafe] unflatten (loop scores = flatten scores for s < q do
    let down = b - b * n
    let at = s * b * n
    let left = view.get_2d scores at (s + 1) down (b + 1) n
    let above = view.get_2d scores (at + 1) (s + 1) down b 1
    let gain = view.get_3d gains (at + n + 1) (s + 1) down b n b 1
    in view.set_3d scores (at + n + 1) down n 1 (map3 (block penalty) left above gain))
