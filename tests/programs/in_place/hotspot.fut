-- Heat in a plate: the inside, the sides and the corners have rules of their own, and their results are concatenated.

def rate : f32 = 0.1

-- | A row between its neighbours, with as many of them as there are.
def row [n] (middle: [n]f32) (up: [n]f32) (down: [n]f32) (power: [n]f32) : [n]f32 =
  let change i left right = middle[i] + rate * (power[i] + up[i] + down[i] + left + right - 4 * middle[i])
  let first = [change 0 middle[0] middle[1]]
  let inside = map (\i -> change (i + 1) middle[i] middle[i + 2]) (iota (n - 2))
  let last = [change (n - 1) middle[n - 2] middle[n - 1]]
  in first ++ inside ++ last :> [n]f32

-- ==
-- input { 2i32 [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32], [7f32, 8f32, 9f32]] [[0f32, 1f32, 0f32], [1f32, 0f32, 1f32], [0f32, 0f32, 2f32]] }
-- output { [[1.77999997f32, 2.74000001f32, 3.4000001f32], [4.36000013f32, 5.02999973f32, 6f32], [6.63000011f32, 7.44999981f32, 8.60999966f32]] }
entry main [m] [n] (steps: i32) (plate: [m][n]f32) (power: [m][n]f32) : [m][n]f32 =
  loop t = plate for _i < steps do
    let top = [row t[0] t[0] t[1] power[0]]
    let inside = map (\i -> row t[i + 1] t[i] t[i + 2] power[i + 1]) (iota (m - 2))
    let bottom = [row t[m - 1] t[m - 2] t[m - 1] power[m - 1]]
    in top ++ inside ++ bottom :> [m][n]f32
