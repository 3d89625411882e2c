-- Cross sections of neutrons from poles: each lookup sums the poles of a window of each nuclide of its material, in complex numbers. The
-- derivative is by the poles.
-- ==
-- entry: primal gradient
-- input { 20000i64 60i64 100i64 4i64 }

def poles (nuclides: i64) (windows: i64) (per: i64) : [nuclides][windows][per][4]f64 =
  tabulate_3d nuclides windows per
    (\i w p -> tabulate 4 (\k -> 0.1 + f64.i64 ((i * 31 + w * 17 + p * 7 + k * 13) % 100) / 100))

def lookup [nuclides] [windows] [per] (poles: [nuclides][windows][per][4]f64) (seed: i64) : f64 =
  let energy = 0.01 + f64.i64 ((seed * 2806196910506780709) >> 33 & 1048575) / 1048576
  let root = f64.sqrt energy
  let material = (seed * 48271) % 12
  let window = i64.min (windows - 1) (i64.f64 (energy * f64.i64 windows))
  in loop sum = 0 for n < 4 + material * 3 do
       let i = (material * 5 + n * 7) % nuclides
       let micro =
         loop s = 0 for p < per do
           let pole = poles[i, window, p]
           -- The residue, divided by the distance of the pole from the root of the energy.
           let (re, im) = (pole[0] - root, pole[1])
           let norm = re * re + im * im
           in s + (pole[2] * re + pole[3] * im) / norm + f64.exp (-norm)
       in sum + (0.1 + f64.i64 n / 10) * micro / energy

def total [nuclides] [windows] [per] (lookups: i64) (poles: [nuclides][windows][per][4]f64) : f64 =
  f64.sum (tabulate lookups (lookup poles))

entry primal (lookups: i64) (nuclides: i64) (windows: i64) (per: i64) =
  total lookups (poles nuclides windows per)

entry gradient (lookups: i64) (nuclides: i64) (windows: i64) (per: i64) =
  vjp (total lookups) (poles nuclides windows per) 1
