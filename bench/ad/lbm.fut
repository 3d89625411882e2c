-- A fluid by the lattice Boltzmann method (D3Q19): nineteen populations in each cell collide and move. The derivative is by the initial grid.
-- ==
-- entry: primal gradient
-- input { 20i64 10i64 }

def velocity : [19][3]i64 =
  [[0, 0, 0], [0, 1, 0], [0, -1, 0], [1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [1, 1, 0], [-1, 1, 0], [1, -1, 0],
   [-1, -1, 0], [0, 1, 1], [0, 1, -1], [0, -1, 1], [0, -1, -1], [1, 0, 1], [1, 0, -1], [-1, 0, 1], [-1, 0, -1]]

def weight : [19]f64 = tabulate 19 (\j -> if j == 0 then 1 / 3 else if j < 7 then 1 / 18 else 1 / 36)

def omega : f64 = 1.95

def collide (f: [19]f64) : [19]f64 =
  let rho = f64.sum f
  let u = tabulate 3 (\a -> f64.sum (map2 (\c f -> f64.i64 c[a] * f) velocity f) / rho)
  let square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
  in map3 (\f c w ->
             let cu = f64.i64 c[0] * u[0] + f64.i64 c[1] * u[1] + f64.i64 c[2] * u[2]
             in (1 - omega) * f + w * omega * rho * (1 + cu * (4.5 * cu + 3) - 1.5 * square))
          f velocity weight

def step [n] (grid: [n][n][n][19]f64) : [n][n][n][19]f64 =
  let collided = map (map (map collide)) grid
  in tabulate_3d n n n
       (\x y z -> tabulate 19
          (\j -> let c = velocity[j]
                 in collided[(x - c[0]) % n, (y - c[1]) % n, (z - c[2]) % n, j]))

def run [n] (steps: i64) (grid: [n][n][n][19]f64) : f64 =
  let last = loop grid for _i < steps do step grid
  in f64.sum (map (map (map (\f -> f[1] * f[1]) >-> f64.sum) >-> f64.sum) last)

def start (n: i64) : [n][n][n][19]f64 =
  tabulate_3d n n n
    (\x y z -> tabulate 19 (\j -> weight[j] * (1 + 0.01 * f64.i64 ((x * 7 + y * 5 + z * 3 + j) % 11))))

entry primal (n: i64) (steps: i64) = run steps (start n)

entry gradient (n: i64) (steps: i64) = vjp (run steps) (start n) 1
