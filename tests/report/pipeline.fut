-- The steps of a pipeline have lines of their own, and sums of the rows of a matrix are a reduction inside of a map.

entry sums [n] [m] (rows: [n][m]f32) : [n]f32 =
  rows
  |> map (map (\x -> x * x))
  |> map (reduce (+) 0)
  |> map f32.sqrt

entry picked (n: i64) : i64 =
  iota n
  |> filter (\i -> i % 3 == 0)
  |> map (* 2)
  |> reduce (+) 0
