-- Macroscopic cross sections of neutrons: each lookup has an energy and a material, and interpolates five cross sections of all nuclides of the
-- material between two points of the nuclide's grid. The derivative is by the tables.
-- ==
-- entry: primal gradient
-- input { 20000i64 60i64 500i64 }

type point = [6]f64

def tables (nuclides: i64) (points: i64) : [nuclides][points]point =
  tabulate_3d nuclides points 6
    (\i j k -> if k == 0 then (f64.i64 j + f64.i64 (i % 7) / 10) / f64.i64 points
               else f64.i64 ((i * 31 + j * 17 + k * 13) % 100) / 100)

def search [points] (grid: [points]point) (energy: f64) : i64 =
  (.0) (loop (low, high) = (0, points - 1) while high - low > 1 do
          let middle = (low + high) / 2
          in if grid[middle, 0] > energy then (low, middle) else (middle, high))

def lookup [nuclides] [points] (table: [nuclides][points]point) (seed: i64) : f64 =
  let energy = f64.i64 ((seed * 2806196910506780709) >> 33 & 1048575) / 1048576
  let material = (seed * 48271) % 12
  let sums =
    loop sums = replicate 5 0.0 for n < 4 + material * 3 do
      let i = (material * 5 + n * 7) % nuclides
      let low = search table[i] energy
      let a = table[i, low]
      let b = table[i, low + 1]
      let f = (b[0] - energy) / (b[0] - a[0])
      let density = 0.1 + f64.i64 n / 10
      in tabulate 5 (\k -> sums[k] + density * (b[k + 1] - f * (b[k + 1] - a[k + 1])))
  in f64.sum sums

def total [nuclides] [points] (lookups: i64) (table: [nuclides][points]point) : f64 =
  f64.sum (tabulate lookups (lookup table))

entry primal (lookups: i64) (nuclides: i64) (points: i64) = total lookups (tables nuclides points)

entry gradient (lookups: i64) (nuclides: i64) (points: i64) =
  vjp (total lookups) (tables nuclides points) 1
