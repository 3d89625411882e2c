-- Derivatives of recursive functions, of loops with arrays that grow, of loops in strips and with bounds, of sums in sums, and of small arrays that are
-- changed in place.

def power (x: f64) (n: i64) : f64 = if n == 0 then 1 else x * power x (n - 1)
def total [n] (xs: [n]f64) (i: i64) : f64 = if i == n then 0 else xs[i] * xs[i] + total xs (i + 1)
def fill [n] (xs: *[n]f64) (i: i64) : *[n]f64 =
  if i >= n then xs else fill (xs with [i] = 2 * xs[i - 1] * xs[i]) (i + 1)
def tree (x: f64) (n: i64) : f64 =
  if n == 0 then f64.sin x else tree (x * 0.5) (n - 1) * tree (x + 1) (n - 1)
-- ==
-- entry: power_jvp power_vjp
-- input { 2.0 5i64 } output { 80.0 }
-- input { 2.0 0i64 } output { 0.0 }
entry power_jvp x n = jvp (\x -> power x n) x 1f64
entry power_vjp x n = vjp (\x -> power x n) x 1f64
-- ==
-- entry: power_hess
-- input { 2.0 5i64 } output { 160.0 160.0 160.0 160.0 }
entry power_hess x n =
  ( jvp (\x -> vjp (\x -> power x n) x 1f64) x 1
  , vjp (\x -> jvp (\x -> power x n) x 1f64) x 1
  , vjp (\x -> vjp (\x -> power x n) x 1f64) x 1
  , jvp (\x -> jvp (\x -> power x n) x 1f64) x 1
  )
-- ==
-- entry: total_vjp
-- input { [1.0,2.0,3.0] } output { [2.0,4.0,6.0] }
entry total_vjp [n] (xs: [n]f64) = vjp (\xs -> total xs 0) xs 1
-- ==
-- entry: fill_vjp fill_jac
-- input { [1.0,2.0,3.0] } output { [24.0,12.0,8.0] }
entry fill_vjp [n] (xs: [n]f64) =
  vjp (\xs -> fill (copy xs) 1) xs (tabulate n (\i -> if i == n - 1 then 1 else 0))
entry fill_jac [n] (xs: [n]f64) =
  tabulate n
           (\k ->
              last (jvp (\xs -> fill (copy xs) 1) xs (tabulate n (\i -> if i == k then 1 else 0))))
-- ==
-- entry: tree_both
-- input { 0.3 4i64 } output { true }
entry tree_both x n =
  let a = jvp (\x -> tree x n) x 1f64
  let b = vjp (\x -> tree x n) x 1f64
  let h = 1e-6
  let c = (tree (x + h) n - tree (x - h) n) / (2 * h)
  in f64.abs (a - b) < 1e-12 && f64.abs (a - c) < 1e-6

-- ==
-- entry: grow_vjp grow_jvp
-- input { [1.0,2.0] 3i64 } output { [7.0,4.0] }
-- input { [1.0,2.0] 0i64 } output { [1.0,1.0] }
def grow [n] (xs: [n]f64) (k: i64) : f64 =
  let ys = loop (ys: []f64) = xs for _i < k do ys ++ [ys[0] + last ys] in f64.sum ys
entry grow_vjp [n] (xs: [n]f64) k = vjp (\xs -> grow xs k) xs 1
entry grow_jvp [n] (xs: [n]f64) k =
  tabulate n (\i -> jvp (\xs -> grow xs k) xs (tabulate n (\j -> if i == j then 1 else 0)))
-- ==
-- entry: prods_vjp prods_jvp
-- input { [1.0,2.0,3.0] 3i64 } output { [6.0,3.0,2.0] }
def prods [n] (xs: [n]f64) (k: i64) : f64 =
  let (_, p) = loop (ys: []f64, p) = (xs, 1f64) for _i < k do (drop 1 ys, p * ys[0]) in p
entry prods_vjp [n] (xs: [n]f64) k = vjp (\xs -> prods xs k) xs 1
entry prods_jvp [n] (xs: [n]f64) k =
  tabulate n (\i -> jvp (\xs -> prods xs k) xs (tabulate n (\j -> if i == j then 1 else 0)))
-- ==
-- entry: squares
-- input { [1.0,2.0,3.0] } output { true }
def sq [n] (xs: [n]f64) : f64 =
  let ys =
    loop (ys: []f64) = xs for i < 4 do map f64.sin (ys ++ map (\j -> ys[j] * ys[j] * 0.1) (iota i))
  in f64.sum ys
entry squares [n] (xs: [n]f64) =
  let g = vjp sq xs 1
  let d = tabulate n (\i -> jvp sq xs (tabulate n (\j -> if i == j then 1 else 0)))
  in and (map2 (\a b -> f64.abs (a - b) < 1e-12) g d)
-- ==
-- entry: strip_vjp
-- input { 0.5 1000i64 } output { true }
-- input { 0.5 1i64 } output { true }
-- input { 0.5 0i64 } output { true }
-- input { 0.5 7i64 } output { true }
def strip (x: f64) (n: i64) =
  #[stripmine(3)] loop y = x for i < n do f64.sin y * (1 + 1 / f64.i64 (i + 2))
def plain (x: f64) (n: i64) = loop y = x for i < n do f64.sin y * (1 + 1 / f64.i64 (i + 2))
entry strip_vjp x n = f64.abs (vjp (\x -> strip x n) x 1 - jvp (\x -> plain x n) x 1) < 1e-9
-- ==
-- entry: bounded
-- input { 2.0 3.0 } output { 100.0 }
-- input { 2.0 1000.0 } error: bound
def wh x (lim: f64) = #[bound(3)] loop y = x while y < lim do y * y
entry bounded x lim = let y = vjp (\x -> wh x lim) x 1 in if y > 0 then 100f64 else y
-- The tapes of a `while` loop grow.
-- ==
-- entry: doubling
-- input { 40i64 0.5 } output { true }
-- input { 0i64 0.5 } output { true }
def until (n: i64) (x: f64) = (loop (y, i) = (x, 0) while i < n do (f64.sin y + y * 0.5, i + 1)).0
entry doubling n x = f64.abs (vjp (until n) x 1 - jvp (until n) x 1) < 1e-12

type inner = #a f64 | #b f64 f64
type outer = #none | #one inner | #two f64 inner
def value (o: outer) : f64 =
  match o
  case #none -> 0
  case #one (#a x) -> x * x
  case #one (#b x y) -> x * y
  case #two z (#a x) -> z * x
  case #two z (#b x y) -> z * x * y
def show (o: outer) : (i64, f64, f64, f64) =
  match o
  case #none -> (0, 0, 0, 0)
  case #one (#a x) -> (1, x, 0, 0)
  case #one (#b x y) -> (2, x, y, 0)
  case #two z (#a x) -> (3, z, x, 0)
  case #two z (#b x y) -> (4, z, x, y)
-- ==
-- entry: grads
-- input { 0 } output { 1i64 6.0 0.0 0.0 2i64 5.0 4.0 0.0 4i64 20.0 10.0 8.0 }
entry grads (_: i32) =
  let (a, b, c, d) = show (vjp value (#one (#a 3)) 1)
  let (e, f, g, h) = show (vjp value (#one (#b 4 5)) 1)
  let (i, j, k, l) = show (vjp value (#two 2 (#b 4 5)) 1)
  in (a, b, c, d, e, f, g, h, i, j, k, l)
-- ==
-- entry: make
-- input { 3.0 } output { 3i64 1.0 6.0 0.0 }
entry make (x: f64) = show (jvp (\x -> (#two x (#a (x * x)) : outer)) x 1)
-- ==
-- entry: arrays
-- input { 0 } output { 6.0 5.0 }
entry arrays (_: i32) =
  let os: [2]outer = [#one (#a 3), #one (#b 4 5)]
  let g = vjp (\os -> f64.sum (map value os)) os 1
  let (_, a, _, _) = show g[0]
  let (_, b, _, _) = show g[1]
  in (a, b)

-- The nearest of some lines: the adjoints of the differences are small arrays, which are changed in place.
-- ==
-- entry: nearest
-- input { [0.5, 0.25, 1.0] [[3.0, 1.0], [1.0, 1.0]] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] } output { [-2.0, 0.0, -2.0] }
entry nearest [n] [m] (pose: [3]f64) (qs: [m][2]f64) (ps: [n][3]f64) =
  let least a b = if a <= b then a else b
  let distance pose p q =
    let l = map2 (+) p [-pose[0], -pose[1], -pose[2]]
    in f64.sum (map2 (+) [l[0], l[2]] q)
  let total pose = f64.sum (map (\p -> reduce_comm least f64.highest (map (distance pose p) qs)) ps)
  in (vjp2 total pose 1).1
