-- Loops whose conditions come from functions: what they call is part of them, so that the host need not wait.
-- ==
-- entry: until
-- input { 100i32 [1i32, 2i32, 3i32] } output { 16i64 102i32 [33i32, 34i32, 35i32] }
-- input { 0i32 [1i32, 2i32, 3i32] } output { 0i64 0i32 [1i32, 2i32, 3i32] }
-- input { 5i32 empty([0]i32) } output { 10i64 0i32 empty([0]i32) }
-- entry: in_turn
-- input { 30i32 [1i32, 2i32, 3i32] } output { 42i32 [9i32, 8i32, 7i32] [15i32, 14i32, 13i32] }
-- entry: in_place
-- input { 20i32 [1i32, 2i32, 3i32] } output { 19i64 [20i32, 2i32, 3i32] }
-- entry: checked
-- input { 40i32 [1i32, 2i32, 3i32] } output { 12i64 [13i32, 14i32, 15i32] }
-- input { 400i32 [1i32, 2i32, 3i32] } error: Assertion
-- entry: of_others
-- input { 100i32 [1i32, 2i32, 3i32] } output { 7i64 111i32 }
-- entry: counted
-- input { 5i64 [1i32, 2i32, 3i32] } output { 121i32 }
-- entry: itself
-- input { 100i32 [1i32, 2i32, 3i32] } output { 12i64 105i32 }

-- A new array and what decides.
#[noinline]
def step [n] (k: i32) (xs: [n]i32): ([n]i32, i32) =
  let ys = map (+ k) xs
  in (ys, i32.sum ys)

entry until [n] (most: i32) (xs: [n]i32): (i64, i32, [n]i32) =
  loop (count, sum, xs) = (0, 0, xs) while sum < most && count < 100 && (n > 0 || count < 10) do
    let (ys, sum) = step 2 xs
    in (count + 1, sum, ys)

-- Arrays that change places, by way of a function that gives back what it gets.
#[noinline]
def other [n] (xs: [n]i32) (ys: [n]i32): ([n]i32, [n]i32, i32) =
  let zs = map2 (+) xs ys
  in (ys, zs, i32.maximum zs + i32.minimum zs)

entry in_turn [n] (most: i32) (xs: [n]i32): (i32, [n]i32, [n]i32) =
  loop (e, xs, ys) = (0, xs, reverse xs) while e < most do
    let (xs, ys, e) = other xs ys
    let (ys, f) = step 1 ys
    in (i32.max e f, xs, ys)

-- An argument that is changed.
#[noinline]
def grow [n] (k: i32) (xs: *[n]i32): (*[n]i32, i32) =
  let xs = scatter xs [0] [xs[0] + k]
  in (xs, i32.maximum xs)

entry in_place [n] (most: i32) (xs: [n]i32): (i64, [n]i32) =
  let (count, _, xs) =
    loop (count, e, xs) = (0, 0, copy xs) while e < most do
      let (xs, e) = grow 1 xs
      in (count + 1, e, xs)
  in (count, xs)

-- A function whose check fails, though not in an iteration that should not be.
#[noinline]
def careful [n] (xs: [n]i32): ([n]i32, i32) =
  let ys = map (\x -> assert (x < 30) (x + 1)) xs
  in (ys, i32.sum ys)

entry checked [n] (most: i32) (xs: [n]i32): (i64, [n]i32) =
  let (count, _, xs) =
    loop (count, e, xs) = (0, 0, xs) while e < most do
      let (xs, e) = careful xs
      in (count + 1, e, xs)
  in (count, xs)

-- Functions that call others.
#[noinline]
def twice [n] (xs: [n]i32): ([n]i32, i32) =
  let (ys, a) = step 2 xs
  let (zs, b) = step 3 ys
  in (zs, i32.max a b)

entry of_others [n] (most: i32) (xs: [n]i32): (i64, i32) =
  let (count, sum, _) =
    loop (count, sum, xs) = (0, 0, xs) while sum < most do
      let (ys, sum) = twice xs
      in (count + 1, sum, ys)
  in (count, sum)

-- What a loop hands on, but for its condition.
entry counted [n] (k: i64) (xs: [n]i32): i32 =
  let (s, _) = loop (s, xs) = (1, xs) for _i < k do
    let (ys, t) = step 2 xs
    in (s + t, ys)
  in s

-- A function that calls itself.
def again [n] (k: i64) (xs: [n]i32): i32 =
  if k == 0 then i32.sum xs else again (k - 1) (map (+ 1) xs)

entry itself [n] (most: i32) (xs: [n]i32): (i64, i32) =
  loop (count, sum) = (0, 0) while sum < most do
    (count + 1, again (count * 3) xs)
