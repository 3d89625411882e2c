-- Conditions of a loop that a thread executes are decided before it, however many there are.
-- ==
-- entry: steps
-- input { [[0f32, 1f32], [0f32, 2f32], [0f32, 3f32], [1f32, 0f32]] }
-- output { [[1f32, 3f32], [4f32, 8f32], [6f32, 12f32], [3f32, 1f32]] }
-- input { empty([0][2]f32) }
-- output { empty([0][2]f32) }
-- input { empty([2][0]f32) }
-- output { empty([2][0]f32) }

entry steps [n] [m] (xs: [n][m]f32) : [n][m]f32 =
  #[sequential_inner]
  map2 (\row i ->
          let part = i % 3
          in map (\x -> if part == 0 then (x + 1) * (x + 1) - x * x
                        else if part == 1 then (x + 2) * (x + 2) - x * (x + 2)
                        else (x + 3) * (x + 3) - (x + 3) * (x + 1) + 0 * x)
                 row)
       xs (iota n)
