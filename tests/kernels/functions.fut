-- Functions that kernels call, for `--without inlining`: memory in frames, arrays as arguments and results, constants, checks.

def weights = map (\i -> (i * 7) % 5) (iota 8)

#[noinline]
def scaled [n] (xs: [n]i64) (k: i64) : [n]i64 = map (\x -> x * k + weights[k % 8]) xs

-- A result of one call is an argument of the next.
#[noinline]
def twice [n] (xs: [n]i64) (k: i64) : [n]i64 = scaled (scaled xs k) (k + 1)

-- In a loop, a result lives on in the next iteration.
#[noinline]
def turned [n] (xs: [n]i64) (k: i64) : [n]i64 =
  loop ys = copy xs for i < k do
    let zs = twice ys i
    in if zs[0] % 2 == 0 then zs else scaled ys (i + 2)

-- ==
-- entry: rows
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] [3i64, 4i64] } auto output
-- random input { [50][7]i64 [50]i64 } auto output
entry rows [n] [m] (xss: [n][m]i64) (ks: [n]i64) : [n][m]i64 =
  map2 (\xs k -> turned xs (k % 5 + 5)) xss ks

-- A result that is an argument, or a part of it.
#[noinline]
def chosen [n] (xs: [n]i64) (ys: [n]i64) (k: i64) : [n]i64 =
  if k % 3 == 0 then xs else if k % 3 == 1 then ys else scaled xs k

#[noinline]
def last_two [n] (xs: [n]i64) : [2]i64 = [xs[n - 2], xs[n - 1]]

-- ==
-- entry: choices
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64]] } auto output
-- random input { [100][5]i64 } auto output
entry choices [n] [m] (xss: [n][m]i64) : [n][2]i64 =
  map2 (\i xs ->
          let ys = loop ys = xs for j < 4 do chosen ys (chosen (scaled ys j) xs (i + j)) (i + j * 2)
          in last_two ys)
       (iota n)
       xss

-- Results of several types, of functions that call functions.
#[noinline]
def stats [n] (xs: [n]f32) : (f32, i32, bool, [n]f32) =
  let s = loop s = 0 for x in xs do s + x
  let k = loop k = 0i32 for x in xs do if x > 0.5 then k + 1 else k
  in (s, k, k % 2 == 0, map (/ (s + 1)) xs)

#[noinline]
def more [n] (xs: [n]f32) : (f32, i32, bool) =
  let (s, k, even, ys) = stats xs
  let (t, l, odd, _) = stats ys
  in (s + t, k * l, even && odd)

-- ==
-- entry: several
-- random input { [20][9]f32 } auto output
entry several (xss: [][]f32) = unzip3 (map more xss)

-- A check fails in a function that is called by a function.
#[noinline]
def at [n] (xs: [n]i64) (i: i64) : i64 = xs[i]

#[noinline]
def sum_at [n] (xs: [n]i64) (is: [n]i64) : i64 = loop s = 0 for i in is do s + at xs i

-- ==
-- entry: checked
-- input { [[1i64, 2i64], [3i64, 4i64]] [[0i64, 1i64], [1i64, 1i64]] } output { [3i64, 8i64] }
-- input { [[1i64, 2i64], [3i64, 4i64]] [[0i64, 1i64], [1i64, 7i64]] } error: Index \[7\] out of bounds for array of shape \[2\]
entry checked [n] [m] (xss: [n][m]i64) (iss: [n][m]i64) : [n]i64 = map2 sum_at xss iss

-- Checks in a block of threads that works together, and in reductions and histograms.
-- ==
-- entry: everywhere
-- input { [3i64, 1i64, 2i64] } auto output
-- input { [3i64, 1i64, -2i64] } error: division by zero
entry everywhere (xs: []i64) =
  let f = \x -> at [x, x + 1, x + 2] ((12 / (x + 2)) % 3)
  in ( reduce (\a b -> if f b == -1 then a else a + b) 0 xs
     , scan (+) 0 (map f xs)
     , hist (+) 0 4 (map (\x -> f x % 4) xs) (map f xs)
     )

-- Memory whose size only the thread knows.
#[noinline]
def triangle (k: i64) : i64 =
  let xs = scaled (iota k) 3
  in loop s = 0 for x in xs do s + x

-- ==
-- entry: triangles
-- input { [0i64, 1i64, 5i64, 100i64] } auto output
entry triangles (ks: []i64) : []i64 = map (\k -> triangle k + triangle (k / 2)) ks

-- A small array that belongs to a thread, where a function takes either it or memory of its own for the same; directly, through
-- another function, and a part of it.
#[noinline]
def ends [n] (c: bool) (xs: [n]i64) : bool =
  let ys = if c then xs else map (* 3) xs
  in ys[0] * 2 < ys[n - 1]

#[noinline]
def both_ends [n] (c: bool) (xs: [n]i64) : bool = ends c xs && xs[0] > 1 && ends (!c) xs

-- ==
-- entry: own_arrays
-- input { 5i64 } output { [true, true, true, true, true] [true, true, true, false, false] }
-- input { 40i64 } auto output
entry own_arrays (n: i64) : ([n]bool, [n]bool) =
  unzip (map (\i -> ( ends (i > 2) [i, i + 1, i * 2 + 2] || both_ends (i > 1) [i, i + 1, i + 2, i + 3]
                    , ends (i > 1) [i, i + 3] || both_ends false [i + 1, i * 2]))
             (iota n))

-- A scalar that a function makes of an array that is allocated in a loop.
#[noinline]
def middle [n] (xs: [n]i64) : i64 = loop s = 0 for i < n do s + xs[i] * xs[n - 1 - i]

-- ==
-- entry: made_in_loops
-- input { 5i64 } output { [0i64, 0i64, 0i64, 0i64, 2i64] }
-- input { 40i64 } auto output
entry made_in_loops (n: i64) : [n]i64 =
  map (\i -> loop s = 0 for k < i do s + (let xs = #[sequential] map (* 2) (iota k) in middle xs / 2)) (iota n)
