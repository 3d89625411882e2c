-- Jacobians and Hessians of a function of eight numbers at many points, in all directions at once.
-- ==
-- entry: forward_primal forward_jacobian reverse_primal reverse_jacobian second_primal second_hessian
-- random input { [20000][8]f64 }

def f (x: [8]f64) : [8]f64 =
  let s = f64.sum (map (\v -> f64.sin v * f64.exp (-v)) x)
  in map2 (\a b -> f64.tanh (a * b + s) + f64.log (1 + a * a)) x (rotate 1 x)

def g (x: [8]f64) : f64 = f64.sum (map (\v -> v * v) (f x))

def directions : [8][8]f64 = tabulate_2d 8 8 (\i j -> f64.bool (i == j))

def sums [n] [m] (a: [n][m][8]f64) : [n]f64 = map (map f64.sum >-> f64.sum) a

entry forward_primal [n] (xs: [n][8]f64) = map (f >-> f64.sum) xs

entry forward_jacobian [n] (xs: [n][8]f64) = map (\x -> jmp f x directions) xs |> sums

entry reverse_primal [n] (xs: [n][8]f64) = map (f >-> f64.sum) xs

entry reverse_jacobian [n] (xs: [n][8]f64) = map (\x -> mjp f x directions) xs |> sums

entry second_primal [n] (xs: [n][8]f64) = map (\x -> vjp g x 1) xs |> map f64.sum

entry second_hessian [n] (xs: [n][8]f64) =
  map (\x -> jmp (\x -> vjp g x 1) x directions) xs |> sums
