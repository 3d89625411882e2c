-- Determinants of small matrices by elimination, and their gradients, which are the matrices of cofactors.
-- ==
-- entry: primal gradient
-- input { 2000i64 }

def det [n] (a: [n][n]f64) : f64 =
  let (_, product) =
    loop (a, product) = (a, 1) for k < n do
      let pivot = a[k, k]
      let next = map2 (\i row -> if i <= k then row
                                 else map2 (\x y -> x - row[k] / pivot * y) row a[k])
                      (iota n) a
      in (next, product * pivot)
  in product

def matrices (m: i64) : [m][8][8]f64 =
  tabulate_3d m 8 8 (\i j k -> if j == k then 9 + f64.i64 (i % 5) else f64.i64 ((i * 3 + j * 5 + k * 7) % 11) / 10)

entry primal (m: i64) = f64.sum (map det (matrices m))

entry gradient (m: i64) = map (\a -> vjp det a 1) (matrices m) |> map (map f64.sum >-> f64.sum) |> f64.sum
