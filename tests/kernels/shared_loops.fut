-- Blocks whose threads share the iterations of loops that follow one another: a row is filled in two parts, then scanned.

-- ==
-- input { [2f32, 3f32, 4f32] } output { [[24f32, 12f32, 4f32], [6f32, 3f32, 0f32], [2f32, 0f32, 0f32]] }
entry main [n] (a: [n]f32) : [n][n]f32 =
  let d = i64.max 0 (n - 1)
  in tabulate n (\i ->
       let units = replicate n 0f32 with [n-1-i] = 1
       let slopes = (a[n-d:n] ++ replicate (n - d) 1) :> [n]f32
       let (sums, _) =
         unzip (scan (\(b, c) (b', c') -> (b' + c' * b, c * c')) (0, 1)
                     (zip (reverse units) (reverse slopes)))
       in map2 (*) a (reverse sums))
