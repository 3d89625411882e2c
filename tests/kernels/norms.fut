-- | Products of which only something smaller is needed: their elements are computed in tiles, and then combined.
-- ==
-- entry: norms
-- random input { [70][40]i32 [60][40]i32 } auto output
-- random input { [5][40]i32 [60][40]i32 } auto output

-- The sum of the squares of each row of a product.
entry norms [n] [m] [p] (a: [n][m]i32) (b: [p][m]i32) : [n]i32 =
  map (\x -> i32.sum (map (\y -> let d = i32.sum (map2 (*) x y) in d * d) b)) a

-- ==
-- entry: distances
-- random input { [100][36]i32 [3][50][36]i32 [3][36]i32 } auto output

-- For each point the least of the lengths that several matrices give it, from another origin each.
entry distances [n] [k] [p] [m] (points: [n][m]i32) (as: [k][p][m]i32) (origins: [k][m]i32) : [n]i32 =
  let length x a origin =
    let c = map2 (-) x origin
    in i32.sum (map (\row -> let d = i32.sum (map2 (*) row c) in d ^ (d >> 3)) a)
  in map (\x -> i32.minimum (map2 (length x) as origins)) points

-- ==
-- entry: total
-- random input { [64][33]i32 [48][33]i32 } auto output

entry total [n] [m] [p] (a: [n][m]i32) (b: [p][m]i32) : (i32, i32) =
  let rows = map (\x -> let ds = map (\y -> i32.sum (map2 (*) x y)) b in (i32.maximum ds, i32.sum (map (\d -> d * d) ds))) a
  in (i32.sum (map (.0) rows), i32.minimum (map (.1) rows))

-- ==
-- entry: nearest
-- random input { [60][40]i32 [50][40]i32 } auto output

-- How often each row of the second matrix is that with the largest product.
entry nearest [n] [m] [p] (a: [n][m]i32) (b: [p][m]i32) : [p]i32 =
  let best x = map (\y -> i32.sum (map2 (*) x y)) b
               |> zip (indices b)
               |> reduce_comm (\(i, u) (j, v) -> if u > v || u == v && i < j then (i, u) else (j, v)) (i64.highest, i32.lowest)
  in reduce_by_index (replicate p 0) (+) 0 (map ((.0) <-< best) a) (map (const 1) a)

-- ==
-- entry: columns
-- random input { [60][40]i32 [50][40]i32 [50]i32 } auto output

-- Two products, of which the second one needs what the first one makes; both versions transpose a matrix outside of all positions.
entry columns [n] [m] [p] (a: [n][m]i32) (b: [p][m]i32) (c: [p]i32) : ([n]i32, [n][m]i32) =
  map (\x -> let (ds, es) = map2 (\y t -> let d = i32.sum (map2 (\p q -> p * (q - t)) x y) in (d * d, d + t)) b c |> unzip
             in (i32.sum ds, map (\row -> i32.sum (map3 (\u v w -> (u - v) * w) row c es)) (transpose b))) a |> unzip
