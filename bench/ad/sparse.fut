-- The cost of k-means on sparse points, whose rows are stored one after the other, and its gradient with respect to the centres, also as one writes it by hand.
-- ==
-- entry: primal gradient by_hand
-- input { 10000i64 40i64 500i64 10i64 }

def cost [nnz] [n1] [k] [d]
    (values: [nnz]f64)
    (columns: [nnz]i64)
    (starts: [n1]i64)
    (centres: [k][d]f64) : f64 =
  let norms = map (\c -> f64.sum (map (\x -> x * x) c)) centres
  let row i =
    let from = starts[i]
    let distance c =
      loop s = norms[c] for j < starts[i + 1] - from do
        let v = values[from + j]
        in s + (v - 2 * centres[c, columns[from + j]]) * v
    in f64.minimum (tabulate k distance)
  in f64.sum (tabulate (n1 - 1) row)

def data (n: i64) (per: i64) (d: i64) (k: i64) =
  let values = tabulate (n * per) (\i -> 0.1 + f64.i64 (i * 7919 % 1000) / 1000)
  let columns = tabulate (n * per) (\i -> i * 104729 % d)
  let starts = tabulate (n + 1) (* per)
  let centres = tabulate_2d k d (\c j -> f64.i64 ((c * 31 + j * 17) % 100) / 100)
  in (values, columns, starts, centres)

entry primal (n: i64) (per: i64) (d: i64) (k: i64) =
  let (values, columns, starts, centres) = data n per d k
  in cost values columns starts centres

entry gradient (n: i64) (per: i64) (d: i64) (k: i64) =
  let (values, columns, starts, centres) = data n per d k
  in vjp (cost values columns starts) centres 1

-- Each row adds to the gradient of its nearest centre: twice that centre, less twice the row.
entry by_hand (n: i64) (per: i64) (d: i64) (k: i64) =
  let (values, columns, starts, centres) = data n per d k
  let norms = map (\c -> f64.sum (map (\x -> x * x) c)) centres
  let row i =
    let from = starts[i]
    let distance c =
      loop s = norms[c] for j < starts[i + 1] - from do
        let v = values[from + j]
        in s + (v - 2 * centres[c, columns[from + j]]) * v
    let nearer (c, x) (c', x') = if x < x' || (x == x' && c <= c') then (c, x) else (c', x')
    in (reduce nearer (k, f64.inf) (tabulate k (\c -> (c, distance c)))).0
  let nearest = tabulate n row
  let counts = hist (+) 0 k nearest (replicate n 1)
  let from_norms = map2 (\count c -> map (\x -> 2 * count * x) c) counts centres
  let places = tabulate (n * per) (\j -> (nearest[j / per], columns[j]))
  in reduce_by_index_2d from_norms (+) 0 places (map (\v -> -2 * v) values)
