-- | The dot product of two vectors, and functions built on it.
--
-- The size parameter `[n]` says that both vectors have the same length; a call with vectors of
-- different lengths is a type error.

-- ==
-- entry: dot
-- input { [1f32, 2f32, 3f32] [4f32, 5f32, 6f32] }
-- output { 32f32 }
-- input { empty([0]f32) empty([0]f32) }
-- output { 0f32 }

entry dot [n] (xs: [n]f32) (ys: [n]f32) : f32 =
  f32.sum (map2 (*) xs ys)

-- ==
-- entry: multiply
-- input { [[1f32, 2f32], [3f32, 4f32]] [[0f32, 1f32], [1f32, 0f32]] }
-- output { [[2f32, 1f32], [4f32, 3f32]] }

-- | The product of two matrices: the dot product of each row and each column.
entry multiply [n] [m] [k] (a: [n][m]f32) (b: [m][k]f32) : [n][k]f32 =
  map (\row -> map (dot row) (transpose b)) a

-- ==
-- entry: angle
-- input { [1f32, 0f32] [0f32, 2f32] }
-- output { 0f32 }
-- input { [3f32, 4f32] [6f32, 8f32] }
-- output { 1f32 }

-- | The cosine of the angle between two vectors.
entry angle [n] (xs: [n]f32) (ys: [n]f32) : f32 =
  let norm v = f32.sqrt (dot v v)
  in dot xs ys / (norm xs * norm ys)
