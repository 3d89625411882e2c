-- The logarithm of the likelihood of a mixture of Gaussians, with a Wishart prior, and its gradient with respect to weights,
-- means, and the triangular factors of the inverse covariances (logarithms of the diagonal, and the entries below it column by column).
-- ==
-- entry: primal gradient
-- random input { [25]f64 [25][64]f64 [25][64]f64 [25][2016]f64 [1000][64]f64 }
-- random input { [200]f64 [200][32]f64 [200][32]f64 [200][496]f64 [1000][32]f64 }
-- large random input { [200]f64 [200][64]f64 [200][64]f64 [200][2016]f64 [1000][64]f64 }
-- large random input { [25]f64 [25][64]f64 [25][64]f64 [25][2016]f64 [10000][64]f64 }

def logsumexp [n] (xs: [n]f64) : f64 =
  let largest = f64.maximum xs
  in largest + f64.log (f64.sum (map (\x -> f64.exp (x - largest)) xs))

-- The triangular matrix. Entry (i, j) below the diagonal has the number d j + i - j - 1 - j (j + 1) / 2.
def triangle [d] [t] (q: [d]f64) (l: [t]f64) : [d][d]f64 =
  let entry_ i j = if i == j then f64.exp q[i]
                   else if j < i then l[d * j + i - j - 1 - j * (j + 1) / 2]
                   else 0
  in tabulate_2d d d entry_

def times [d] (a: [d][d]f64) (v: [d]f64) : [d]f64 = map (\row -> f64.sum (map2 (*) row v)) a

def objective [n] [k] [d] [t] (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][t]f64) (xs: [n][d]f64) : f64 =
  let sums = map f64.sum qs
  let triangles = map2 triangle qs ls
  let one x = logsumexp (map4 (\alpha mean a total ->
      let y = times a (map2 (-) x mean)
      in alpha + total - 0.5 * f64.sum (map (\y -> y * y) y)) alphas means triangles sums)
  let likelihood = f64.sum (map one xs) - f64.i64 n * logsumexp alphas
  let gamma = 1.0
  let m = 0.0
  let squares q l = f64.sum (map (\q -> f64.exp q * f64.exp q) q) + f64.sum (map (\l -> l * l) l)
  let prior = f64.sum (map3 (\q l total -> 0.5 * gamma * gamma * squares q l - m * total) qs ls sums)
  in likelihood + prior - 0.5 * f64.i64 (n * d) * f64.log (2 * f64.pi)

entry primal [n] [k] [d] [t] (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][t]f64) (xs: [n][d]f64) =
  objective alphas means qs ls xs

entry gradient [n] [k] [d] [t] (alphas: [k]f64) (means: [k][d]f64) (qs: [k][d]f64) (ls: [k][t]f64) (xs: [n][d]f64) =
  vjp (\(alphas, means, qs, ls) -> objective alphas means qs ls xs) (alphas, means, qs, ls) 1
