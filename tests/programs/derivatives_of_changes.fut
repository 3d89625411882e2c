-- Gradients of loops that change arrays in place, and need them as a whole: changes are undone. They must agree with forward mode.

def number (i: i64) : f64 = 0.5 + f64.i64 (i * 7919 % 101) / 100

def close (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)

def agrees [n] (f: [n]f64 -> f64) : bool =
  let (x, v) = (tabulate n number, tabulate n (\i -> number (i + 3)))
  in close (f64.sum (map2 (*) (vjp f x 1) v)) (jvp f x v)

-- Each element depends on the three before it.
def window [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 3..<n do
             let s = f64.sum (map (\k -> f64.sin xs[i - 1 - k] * f64.i64 (k + 1)) (iota 3))
             in xs with [i] = s * xs[i]
  in f64.sum xs

-- Two changes, the second of which reads what the first has written, and another array that is not changed.
def twice [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 2..<n do
             let xs = xs with [i] = f64.sum (map (\k -> xs[k] * a[k]) [0, i - 1])
             let t = f64.product (map (\k -> 1 + xs[k] / 10) [i, i - 1])
             in xs with [i - 1] = xs[i - 1] * t
  in f64.sum (map (\x -> x * x) xs)

-- Loops in loops: elimination, where what was changed is needed by later steps.
def eliminate [n] (a: [n]f64) : f64 =
  let m = i64.f64 (f64.sqrt (f64.i64 n))
  let start = tabulate_2d m m (\i j -> a[i * m + j] + f64.bool (i == j) * 4)
  let u = loop u = start for k < m do
            loop u for i in k + 1..<m do
              let factor = u[i, k] / u[k, k]
              let row = map2 (\x y -> x - factor * y) u[i] u[k]
              in u with [i] = row
  in f64.product (map (\i -> u[i, i]) (iota m))

-- A loop whose changes are those of a loop inside of it.
def sweeps [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for _k < 3i64 do
             loop xs for i in 1..<n - 1 do
               xs with [i] = f64.sum (map (\d -> f64.cos xs[i + d]) [-1, 0, 1])
  in f64.sum xs

-- A condition in place of a number of iterations.
def until [n] (a: [n]f64) : f64 =
  let (xs, _) = loop (xs, i) = (copy a, 1) while i < n do
                  (xs with [i] = f64.sum (map (\d -> xs[i - d] * xs[i - d]) [0, 1]) / 2, i + 1)
  in f64.sum xs

-- Changes of two arrays in branches: of one in one of them, and of the other in both.
def branches [n] (a: [n]f64) : f64 =
  let (xs, ys) = loop (xs, ys) = (copy a, copy a) for i in 1..<n do
                   if xs[i] > xs[i - 1]
                   then (xs, ys with [i] = f64.sum (map (\k -> ys[k] * xs[k]) [i, i - 1]))
                   else let j = i - i % 2
                        let y = ys[j] * xs[j]
                        in (xs with [j] = f64.sin (f64.sum (map (\k -> xs[k]) [i, i - 1])), ys with [i - 1] = y)
  in f64.sum (map2 (\x y -> x * x + y) xs ys)

-- Slices of computed length.
def slices [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<n do
             let k = i64.min (i % 3) (n - i)
             let s = f64.sum (map (\d -> f64.sin xs[i - d]) [0, 1])
             in xs with [i:i + k] = map (\x -> x * s) xs[i:i + k]
  in f64.sum xs

-- Arms of a match.
type op = #scale | #swap | #none
def arms [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<n do
             let op : op = if i % 3 == 0 then #scale else if xs[i] > 1 then #swap else #none
             in match op
                case #scale -> xs with [i] = f64.sum (map (\d -> xs[i - d] * xs[i - d]) [0, 1])
                case #swap -> xs with [i - 1] = f64.product (map (\d -> xs[i - d]) [0, 1])
                case #none -> xs
  in f64.sum (map (\x -> x * x) xs)

-- Two updates in one branch, the second of which reads what the first has written; a branch in a branch.
def swaps [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<n do
             let s = f64.sum (map (\d -> f64.cos xs[i - d]) [0, 1])
             in if xs[i] < xs[i - 1]
                then let t = xs[i]
                     let xs = xs with [i] = xs[i - 1] * s
                     let j = i - i % 2
                     let xs = xs with [j] = xs[j] * t
                     in if i % 3 == 0 then xs with [i / 2] = xs[i / 2] * xs[j] else xs
                else let k = i64.min 2 (n - i) in xs with [i:i + k] = map (* s) xs[i:i + k]
  in f64.sum (map (\x -> x * x) xs)

-- Scatters and histograms.
def scatters [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<n do
             let is = [i, i - 1, i, n, i / 2]
             let s = f64.sum (map (\j -> f64.sin xs[j]) [i, i - 1])
             in scatter xs is (map (\j -> f64.i64 (j % 7) * s + 1) is)
  in f64.sum (map (\x -> x * x) xs)

def histograms [n] (a: [n]f64) : f64 =
  let (xs, ys) = loop (xs, ys) = (copy a, copy a) for i in 1..<n do
             let is = [i, i - 1, i, n, i / 2]
             let s = f64.sum (map (\j -> f64.sin xs[j]) [i, i - 1])
             let vs = map (\j -> f64.i64 (j % 7) * s / 10 + 0.3) is
             in (reduce_by_index xs (\x y -> x + y + x * y / 8) 0 is vs,
                 reduce_by_index ys f64.max (-f64.inf) is (map2 (\v i -> v * ys[i % n]) vs is))
  in f64.sum (map2 (\x y -> x * y) xs ys)

-- A histogram of more values than bins.
def many [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<4 do
             let is = map (\j -> (j * i) % (n + 1)) (iota (3 * n))
             let vs = map (\j -> xs[j % n] / 3 + f64.i64 i) (iota (3 * n))
             in reduce_by_index xs (\x y -> x + y + x * y / 64) 0 is vs
  in f64.sum xs

-- Integers.
def random [n] (a: [n]f64) : f64 =
  let (_, xs) = loop (rs, xs) = (map (\i -> u32.i64 (i * 2654435761)) (iota n), copy a) for i < n do
             let rs = map2 (\r j -> let r = r * 1664525 + 1013904223 + u32.i64 (i * j)
                                    let r = r ^ (r << 13)
                                    let r = r ^ (r >> 17)
                                    in -(r ^ (r << 5))) rs (iota n)
             in (rs, map2 (\r x -> f64.sin (x + f64.u32 (r % 16) / 16)) rs xs)
  in f64.sum xs

def counters [n] (a: [n]f64) : f64 =
  let (_, _, s) = loop (i, k, s) = (0, 7i32, 1f64) while i < n do
             (i + 1, 12 - (k ^ 5) * 3, s * f64.sin (a[i] + f64.i32 (k % 8)))
  in s

-- ==
-- entry: agree
-- input { 4i64 } output { [true, true, true, true, true, true] }
-- input { 16i64 } output { [true, true, true, true, true, true] }
entry agree (n: i64) : [6]bool =
  [agrees (window : [n]f64 -> f64), agrees (twice : [n]f64 -> f64), agrees (eliminate : [n]f64 -> f64)
  , agrees (sweeps : [n]f64 -> f64), agrees (until : [n]f64 -> f64), agrees (branches : [n]f64 -> f64)]

-- ==
-- entry: hessian
-- input { 5i64 } output { true }
entry hessian (n: i64) : bool =
  let x = tabulate n number
  let one i = tabulate n (\j -> f64.bool (i == j))
  let a = tabulate n (\i -> jvp (\x -> vjp window x 1) x (one i))
  let b = mjp (\x -> vjp sweeps x 1) x (tabulate n one)
  let c = tabulate n (\i -> jvp (\x -> vjp sweeps x 1) x (one i))
  in and (flatten (map2 (map2 close) a (transpose a))) && and (flatten (map2 (map2 close) b c))

-- ==
-- entry: more
-- input { 4i64 } output { [true, true, true, true, true, true, true, true] }
-- input { 16i64 } output { [true, true, true, true, true, true, true, true] }
entry more (n: i64) : [8]bool =
  [agrees (slices : [n]f64 -> f64), agrees (arms : [n]f64 -> f64), agrees (swaps : [n]f64 -> f64)
  , agrees (scatters : [n]f64 -> f64), agrees (histograms : [n]f64 -> f64), agrees (many : [n]f64 -> f64)
  , agrees (random : [n]f64 -> f64), agrees (counters : [n]f64 -> f64)]

-- ==
-- entry: beside
-- input { [0.1, 0.2, 0.3, 0.4, 0.5] } output { true }

-- A branch that is undone, and yields an array whose size changes as well.
def beside_changes [n] (a: [n]f64) : f64 =
  (loop (xs, s) = (copy a, 0) for i in 1..<n do
     let (xs, zs) =
       if s < 1
       then let zs = map f64.exp xs[0:i]
            let t = f64.sum (map f64.sin xs[0:i])
            in (xs with [i] = t, zs)
       else (xs, map f64.cos xs[0:i])
     in (xs, s + f64.sum (map (\z -> z * z) zs))).1

entry beside [n] (a: [n]f64) =
  let one i = tabulate n (\j -> f64.bool (i == j))
  let forward = tabulate n (\i -> jvp beside_changes a (one i))
  in and (map2 (\x y -> f64.abs (x - y) < 1e-9) (vjp beside_changes a 1) forward)

-- Loops in branches, which change what the loop around them carries: in one body, in both, and in arms with other changes before and after.
def in_one [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<n do
             if xs[i] > 1
             then loop xs for k < 3 do
                    let j = (i * 5 + k) % n
                    in xs with [j] = f64.sum (map (\d -> f64.sin xs[(j + d) % n]) [0, 1]) * 0.6
             else xs
  in f64.sum xs

def in_both [n] (a: [n]f64) : f64 =
  let (xs, s) = loop (xs, s) = (copy a, 0) for i in 1..<n do
             let (xs, t, ys) =
               if xs[i] > 1
               then let xs = loop xs for k < i do xs with [k] = f64.sum (map (\d -> f64.sin xs[k + d]) [0, 1])
                    in (xs, xs[0], a)
               else let xs = xs with [0] = f64.product (map (\d -> xs[i - d]) [0, 1])
                    let xs = loop xs for k < i do if xs[k] > 0.4 then xs with [k + 1] = xs[k] * xs[k + 1] else xs
                    in (xs with [i] = xs[i] / 2, 0.25, map f64.cos a)
             in (xs, s * t + ys[i])
  in f64.sum xs + s

def in_arms [n] (a: [n]f64) : f64 =
  let xs = loop xs = copy a for i in 1..<n do
             let op : op = if i % 3 == 0 then #scale else if xs[i] > 1 then #swap else #none
             in match op
                case #scale -> loop xs for k < i do
                                 loop xs for l < k do xs with [l] = f64.sum (map (\d -> xs[l + d] * xs[k]) [0, 1]) / 2
                case #swap -> (loop (xs, j) = (xs, i) while j > 0 && xs[j] > 0.3 do
                                 (xs with [j] = f64.product (map (\d -> xs[j - d]) [0, 1]), j - 1)).0
                case #none -> xs
  in f64.sum (map (\x -> x * x) xs)

-- The loops in the branch do not need the array themselves.
def for_others [n] (a: [n]f64) : f64 =
  let (xs, s) = loop (xs, s) = (copy a, 0) for i in 1..<n do
             let s = s + f64.sum (map (\d -> f64.sin xs[i - d]) [0, 1])
             let xs = if a[i] > 1 then loop xs for k < 3 do xs with [(i + k) % n] = s else xs
             in (xs, s + f64.sum (map (\d -> f64.cos xs[i - d]) [0, 1]))
  in f64.sum xs + s

-- ==
-- entry: loops_in_branches
-- input { 4i64 } output { [true, true, true, true] }
-- input { 13i64 } output { [true, true, true, true] }
entry loops_in_branches (n: i64) : [4]bool =
  [agrees (in_one : [n]f64 -> f64), agrees (in_both : [n]f64 -> f64), agrees (in_arms : [n]f64 -> f64)
  , agrees (for_others : [n]f64 -> f64)]

-- Histograms of few values: minima, products, another operator with a variable, sums, and dual numbers in two dimensions, whose indices repeat or are out of bounds.
def few [n] (op: f64 -> f64 -> f64 -> f64) (ne: f64) (a: [n]f64) : f64 =
  let (xs, s) = loop (xs, s) = (copy a, 0.3) for i in 1..<n do
             let is = [i, i - 1, i, n, -1, i / 2]
             let vs = map (\j -> f64.sin (xs[j % n] * s) + 0.4) is
             let ys = reduce_by_index (copy xs) (op a[i]) ne is vs
             in (ys, s * 0.9 + f64.sum (map (\d -> ys[i - d] * xs[i - d]) [0, 1]) / 100)
  in f64.sum (map2 (*) xs a) + s

def few_pairs [n] (a: [n]f64) : f64 =
  let xss = loop xss = replicate n (zip a a) for i in 1..<n do
             let is = [(i, i - 1), (0, i), (i, i - 1), (n, 0), (0, -1)]
             let vs = map (\(j, _) -> (xss[j % n, i].0 / 3, a[i] / 2)) is
             let op (x, y) (z, w) : (f64, f64) = (x * w + y * z, y * w)
             in reduce_by_index_2d xss op (0, 1) is vs
  in f64.sum (map (\xs -> f64.sum (map (\(x, y) -> x * y) xs)) xss)

-- ==
-- entry: few_values
-- input { 4i64 } output { [true, true, true, true, true] }
-- input { 12i64 } output { [true, true, true, true, true] }
entry few_values (n: i64) : [5]bool =
  [agrees (few (\_ -> f64.min) f64.inf : [n]f64 -> f64), agrees (few (\_ -> (*)) 1 : [n]f64 -> f64)
  , agrees (few (\c x y -> x + y + c * x * y) 0 : [n]f64 -> f64), agrees (few (\_ -> (+)) 0 : [n]f64 -> f64)
  , agrees (few_pairs : [n]f64 -> f64)]
