-- Sizes that are written as expressions are evaluated wherever they are checked.
-- ==
-- entry: branch
-- input { 3i64 [1, 2, 3] } output { [1, 2, 3] }
-- input { 1i64 [1, 2, 3, 4] } output { [1, 2, 3, 4] }
-- input { 0i64 [1, 2] } error: has size 2 where it should have size 4
entry branch (x: i64) (xs: [if x > 2 && x < 4 then 3 else 4]i32) = xs

-- Only the branch that is chosen is evaluated.
-- ==
-- entry: lazily
-- input { 0i64 [1] } output { [1] }
-- input { 5i64 [1, 2] } output { [1, 2] }
entry lazily (x: i64) (xs: [if x == 0 then 1 else 10 / x]i32) = xs

-- ==
-- entry: complement
-- input { -3i64 [1, 2] } output { [1, 2] }
-- input { 3i64 [1, 2] } error: has size 2 where it should have size -4
entry complement (x: i64) (xs: [!x]i32) = xs

-- ==
-- entry: element
-- input { 0i64 2i64 [1, 2] } output { [1, 2] }
-- input { 1i64 2i64 [1, 2] } error: has size 2 where it should have size 7
entry element (i: i64) (n: i64) (xs: [[n, 7][i]]i32) = xs

-- ==
-- entry: conversion
-- input { 3i64 [1] } output { [1] }
-- input { 5i64 empty([0]i32) } output { empty([0]i32) }
entry conversion (n: i64) (xs: [i64.bool (n < 4)]i32) = xs

-- ==
-- entry: rounded
-- input { [1, 2] } output { [1, 2] }
-- input { [1] } error: has size 1 where it should have size 2
entry rounded (xs: [i64.f32 2.5]i32) = xs

-- ==
-- entry: total
-- input { 2i64 [1, 2, 3, 4, 5] } output { [1, 2, 3, 4, 5] }
-- input { 2i64 [1, 2] } error: has size 2 where it should have size 5
entry total (n: i64) (xs: [i64.sum [n, 1, 2]]i32) = xs

-- Also where the size belongs to a call.
def ones (n: i64) : [n]i32 = replicate n 1

-- ==
-- entry: coerced
-- input { -3i64 2i64 } output { [1, 1] }
-- input { -3i64 3i64 } error: cannot match
entry coerced (x: i64) (n: i64) : []i32 = ones n :> [!x]i32

-- ==
-- entry: squares
-- input { -3i64 } output { [[1, 1], [1, 1]] }
entry squares (x: i64) =
  let [m] (_: [m]i32) = ones (!x)
  in unflatten (flatten (replicate m (ones m) :> [m][m]i32))

-- A number literal that is an argument for a type parameter has the type of the other arguments, or of the result.
-- ==
-- entry: inferred
-- input { 2i64 } output { [2i64, 2i64, 2i64] [0i64, 1i64, 2i64] }
entry inferred (n: i64) =
  let k = i64.u16 (reduce u16.min 3 (replicate 5 7))
  in (replicate k n, iota k)

-- ==
-- entry: inferred_element
-- input { 250u8 [1, 2, 3, 4] } output { [1, 2, 3, 4] }
-- input { 251u8 [1, 2, 3, 4] } error: has size 4 where it should have size 5
entry inferred_element (x: u8) (xs: [i64.u8 (reduce (u8.+) x (replicate 2 5))]i32) = xs

-- A built-in operator is an argument; literals have the type of the result, which is a size.
-- ==
-- entry: built_in
-- input { [1, 2] } output { [[5, 5], [5, 5], [5, 5]] }
entry built_in [m] (_: [m]i32) =
  let [n] (_: [n]i32) = replicate (reduce (^) 1 [2]) 0
  in unflatten (replicate (n * m) 5)

-- A literal that is compared with a constant of another type.
-- ==
-- entry: compared
-- input { 3i64 } output { [3i64, 4i64] }
def two_if (c: bool) : i64 = if c then 2 else 0
entry compared (x: i64) : []i64 = tabulate (two_if (i16.highest >= 0)) (+ x)

-- Literals of other types in tuples, branches and arrays, and arrays without elements.
-- ==
-- entry: typed_literals
-- input { 2i64 true } output { [0, 0] }
-- input { 3i64 false } output { [0, 0, 0] }
entry typed_literals (n: i64) (c: bool) : []i32 =
  let [m] (_: [m]bool) =
    tabulate (length (if c then replicate n (c, i8.highest) else replicate n (true, -9i8))) (\_ -> c)
  in (rep 0 : [m]i32)

-- ==
-- entry: nothing_inside
-- input { 2i64 } output { [[0, 0], [0, 0]] }
entry nothing_inside (n: i64) : [][]i32 =
  let [m] (_: [m]bool) = tabulate (length (replicate n [])) (> 5)
  let [k] (_: [k]bool) = replicate (length (replicate n ([] : [0](f32, u8)))) false
  in (rep (rep 0) : [m][k]i32)

-- Ranges, slices and sections.
-- ==
-- entry: range
-- input { 5i64 [1, 2, 3] } output { [1, 2, 3] }
-- input { 5i64 [1] } error: has size 1 where it should have size 3
entry range (n: i64) (xs: [length (0..2..<n)]i32) = xs

-- ==
-- entry: slice
-- input { [[1, 2], [3, 4], [5, 6]] [7, 8] } output { [7, 8] }
-- input { [[1, 2]] [7, 8] } error: has size 2 where it should have size 0
entry slice [n] (xs: [n][2]i32) (ys: [length xs[1:, 0]]i32) = ys

-- ==
-- entry: sections
-- input { 3i64 [1, 2, 3, 4] [1, 2] } output { [1, 2, 3, 4] [1, 2] }
-- input { 3i64 [1, 2, 3] [1, 2] } error: has size 3 where it should have size 4
entry sections (n: i64) (xs: [(+ 1) n]i32) (ys: [(5 -) n]i32) = (xs, ys)

-- ==
-- entry: equal_sections
-- input { 2i64 } output { [1, 1, 1] }
entry equal_sections (n: i64) : []i32 =
  map2 (+) (replicate ((+ 1) n) 0) (replicate ((+ 1) n) 1)

-- A size is computed once, where the array that it is about has not been consumed.
-- ==
-- entry: consumed
-- input { [3i64, 2i64] } output { [1i64, 2i64] [1, 1, 1] }
entry consumed [n] (xs: *[n]i64) : ([n]i64, []i32) =
  let ys = replicate xs[0] 0
  let xs[0] = 1
  in (xs, map2 (+) ys (rep 1))

-- ==
-- entry: consumed_slice
-- input { [3i64, 2i64] } output { [1i64, 2i64] [1, 1] }
entry consumed_slice [n] (xs: *[n]i64) : ([n]i64, []i32) =
  let ys = replicate (length xs[1:] + 1) 0
  let xs[0] = 1
  in (xs, map2 (+) ys (rep 1))

-- Conditions that are constants: what is not known of one side says nothing about the type of the other.
-- ==
-- entry: literal_side
-- input { 2i16 } output { [7, 7, 7] }
entry literal_side (x: i16) = replicate (i64.i16 (if 0i32 != 0 then x else 3)) 7i32

-- ==
-- entry: pairs_in_a_condition
-- input { 0i64 } output { [7] }
entry pairs_in_a_condition (m: i64) =
  replicate (if (if (0i32, (1i32, 2i32)) != (3, (4, 5)) then true else m > 0) then 1 else 2) 7i32

-- ==
-- entry: sums_in_a_condition
-- input { 0i64 } output { [7] }
entry sums_in_a_condition (_: i64) =
  let k = if (if f64.isnan 0 then (#a 0 : #a u16 | #b f32) != #a 0 else true) then 1 else 2
  in replicate k 7i32

-- Written sizes that bind names are evaluated where they are needed, also by callers.
def twice (f: i64 -> i64) (x: i64) = f (f x)

def square (n: i64) (xs: [let m = n + 1 in m * m]i32) : [let m = n + 1 in m * m]i32 = map (+ 1) xs

def but_one 't [n] (xs: [n]t) : [let m = length xs in m - 1]t = init xs :> [let m = length xs in m - 1]t

def cases 't (n: i64) (x: t) : [match n case 0 -> 1 case m -> 2 * m]t =
  replicate (if n == 0 then 1 else 2 * n) x :> [match n case 0 -> 1 case m -> 2 * m]t

def triangle (n: i64) : [loop s = 1 for i < n do s + i]i64 =
  iota (1 + n * (n - 1) / 2) :> [loop s = 1 for i < n do s + i]i64

def lambda (n: i64) : [twice (\x -> x + n) 0]i64 = iota (2 * n) :> [twice (\x -> x + n) 0]i64

def holding 't (p: t -> bool) (xs: []t) : [i64.sum (map (\(x: t) -> i64.bool (p x)) xs)]t =
  filter p xs :> [i64.sum (map (\(x: t) -> i64.bool (p x)) xs)]t

-- ==
-- entry: binding_sizes
-- input { 3i64 } output { 16i64 6i64 4i64 6i64 [1, 1] }
-- input { 0i64 } output { 1i64 1i64 1i64 0i64 [1, 1] }
entry binding_sizes (n: i64) =
  let xs = square n (replicate ((n + 1) * (n + 1)) 0 :> [let m = n + 1 in m * m]i32)
  in (length xs, length (cases n 1.5), length (triangle n), length (lambda n), xs[:1] ++ [1])

-- ==
-- entry: binding_sizes_of_types
-- input { [[1, 2], [3, 4], [0, 6]] } output { [[1, 2], [3, 4]] [[3, 4]] }
entry binding_sizes_of_types (xss: [][]i32) =
  let large (xs: []i32) = xs[0] > 2
  in (but_one xss, map2 (map2 i32.max) (holding large xss) (holding large xss))

module with_size (N: {type t val size : i64 val zero : t}) = {
  def more (n: i64) = n + N.size
  def make (n: i64) : [let m = more n in m]N.t = replicate (more n) N.zero :> [let m = more n in m]N.t
}

module ints = with_size {type t = i32 def size = 2i64 def zero = 7i32}

-- ==
-- entry: binding_sizes_of_modules
-- input { 1i64 } output { [14, 14, 14] }
entry binding_sizes_of_modules (n: i64) = map2 (+) (ints.make n) (ints.make n)

-- ==
-- entry: size_of_an_argument
-- input { 2i64 [1, 2, 3] } output { 6 }
-- input { 2i64 [1, 2] } error: has size 2 where it should have size 3
entry size_of_an_argument (n: i64) (xs: [let m = n in m + 1]i32) = i32.sum xs

-- ==
-- entry: coerced_to_code
-- input { 2i64 2i64 } error: cannot match shape of type "\[3\]i64"
-- input { 3i64 2i64 } output { [0i64, 1i64, 2i64] }
entry coerced_to_code (k: i64) (n: i64) = iota k :> [let m = n in m + 1]i64

-- ==
-- entry: updates_and_fields
-- input { [1i64, 2i64, 3i64] } output { 6i64 7i64 9i64 }
entry updates_and_fields (v: [3]i64) =
  let rs = map (\x -> {a = x, b = x + 4}) v
  let xs : [i64.sum (map (.a) rs)]i64 = iota (i64.sum (map (.a) rs))
  let ys : [(rs[0] with a = 2).a + rs[0].b]i64 = iota 7 :> [(rs[0] with a = 2).a + rs[0].b]i64
  let zs : [i64.sum (copy v with [1] = 5)]i64 = iota (i64.sum (copy v with [1] = 5))
  in (length xs, length ys, length zs)

-- ==
-- entry: size_that_is_a_hole
-- input { 2i64 } error: Reached hole of type: i64
entry size_that_is_a_hole (n: i64) = iota n :> [???]i64

-- ==
-- entry: two_arrays_of_a_size_that_changes
-- input { 2i64 3i64 } output { [4i64, 5i64] [5i64, 6i64] }

-- The size is computed twice before the loop.
entry two_arrays_of_a_size_that_changes (h: i64) (w: i64) =
  let bs = map (+ 1) (iota (h * w))
  in loop (as, bs) = (iota (h * w), bs) while length as > 2 do
       unzip (filter (\(a, _) -> a > 3) (zip as bs))
