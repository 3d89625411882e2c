-- Pipelines, composition, currying and iteration.
-- ==
-- entry: pipes
-- input { 5 } output { 12 12 11 12 11 }

-- ==
-- entry: arguments
-- input { 10 3 } output { -7 7 13 10 3 }

-- ==
-- entry: iterating
-- input { 3 } output { 24 3 3 }
-- input { 0 } output { 0 0 0 }

-- ==
-- entry: iterating_conditionally
-- input { 1 } output { 128 128 }
-- input { 500 } output { 500 500 }

entry pipes (x: i32) : (i32, i32, i32, i32, i32) =
  let double y = 2 * y
  let inc y = y + 1
  in (x |> inc |> double, double <| inc <| x, (double >-> inc) x, (double <-< inc) x, (inc <-< double) x)

entry arguments (x: i32) (y: i32) : (i32, i32, i32, i32, i32) =
  (flip (-) x y, uncurry (-) (x, y), curry (\(a, b) -> a + b) x y, const x y, id y)

entry iterating (x: i32) : (i32, i32, i32) =
  (iterate 3 (* 2) x, iterate 0 (* 2) x, iterate (-1) (* 2) x)

entry iterating_conditionally (x: i32) : (i32, i32) =
  (iterate_until (>= 100) (* 2) x, iterate_while (< 100) (* 2) x)
