-- Arrays that travel through loops, branches and calls: what is where.
-- ==
-- entry: windows
-- input { 2i64 [1, 2, 3, 4, 5, 6, 7] } output { [3, 4] }
-- input { 3i64 [1, 2, 3, 4, 5, 6, 7] } output { [3, 4, 5] }

-- ==
-- entry: swapped
-- input { 5i64 [1, 2, 3] [4, 5, 6] } output { [4, 5, 6] [1, 2, 3] }
-- input { 4i64 [1, 2, 3] [4, 5, 6] } output { [1, 2, 3] [4, 5, 6] }

-- ==
-- entry: handed_back
-- input { 1 } output { [1, 1, 1, 1] 4 }
-- input { -1 } output { [0, 0, 0, 0] -1 }

-- ==
-- entry: exchanged
-- input { 3i64 } output { [2, 2] [1, 1] }

-- ==
-- entry: abstract
-- input { 1 } output { 16 18 }

-- ==
-- entry: zipped
-- input { [1, 2, 3] [4, 5, 6] } output { [0, 2, 3] [0, 5, 6] [1, 2, 3] [4, 7, 6] }

-- ==
-- entry: zipped_elsewhere
-- input { [1, 2, 3] } output { [0, 2, 3] [0, 2, 3] [1, 2, 3] }

-- ==
-- entry: zipped_in_a_loop
-- input { [1, 2, 3] [4, 5, 6] } output { [5, 9, 9] }

-- Where the array begins depends on another value of the loop.
entry windows (k: i64) (xs: []i32) =
  let (_, ys) =
    loop (i, ys) = (0, xs[0:k]) while i < 3 && ys[0] < 100 do (i + 1, xs[i:i + k])
  in ys

entry swapped [n] (k: i64) (xs: [n]i32) (ys: [n]i32) =
  loop (a, b) = (xs, ys) for _i < k do (b, a)

#[noinline]
def first [n] (xs: [n]i32) (_: i32) : [n]i32 = xs

-- A small array comes back from a function as what it was.
entry handed_back (x: i32) =
  let xs = first (replicate 4 (i32.max x 0)) x
  in (xs, if x > 0 then i32.sum xs else x)

-- Small arrays that change places by way of a function.
entry exchanged (k: i64) =
  loop (a, b) = ([1i32, 1], [2i32, 2]) for _i < k do (first b 0, first a 1)

module hidden : {
  type t
  val make : i32 -> t
  val change : *t -> *t
  val sum : t -> i32
} = {
  type t = [4]i32
  def make (x: i32) : t = map (\i -> x + i32.i64 i) (iota 4)
  def change (t: *t) : *t = t with [0] = 1
  def sum (t: t) = i32.sum t
}

def shared : hidden.t = hidden.make 3
def give (_: i32) : hidden.t = shared

-- What looks like a value of one's own is a constant of the program.
entry abstract (x: i32) =
  let changed = hidden.sum (hidden.change (give x))
  in (changed, hidden.sum shared)

-- An array of pairs changes and what was zipped does not, and the other way around.
entry zipped (xs: *[]i32) (ys: *[]i32) =
  let pairs = zip xs ys
  let ys[1] = 7
  let pairs[0] = (0, 0)
  let (as, bs) = unzip pairs
  in (as, bs, xs, ys)

#[noinline]
def doubled [n] (xs: [n]i32) = zip xs xs

entry zipped_elsewhere (xs: *[]i32) =
  let pairs = doubled xs
  let pairs[0] = (0, 0)
  let (as, bs) = unzip pairs
  in (as, bs, xs)

-- The pairs are read before the array changes.
entry zipped_in_a_loop [n] (xs: *[n]i32) (ys: [n]i32) =
  loop xs for i < n do
    let sums = map2 (+) xs ys
    in xs with [i] = sums[0]
