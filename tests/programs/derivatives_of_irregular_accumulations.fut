-- Accumulations by operators that do not add, in reverse mode, whose positions and iterations differ in how much they
-- contribute. The values are those of the same products without accumulators.

-- ==
-- entry: bounds triangles conditions branches mixed
-- input { [0i64, 1i64, 0i64, 5i64, 2i64, 3i64] [2.0, 3.0, 5.0, 7.0, 11.0, 0.5] } output { true }
-- input { empty([0]i64) empty([0]f64) } output { true }

type~ acc = intrinsics.acc ([3]f64)

-- The derivative of the products of three bins, of which each position contributes to k at most.
def dense [n] (k: i64) (f: i64 -> f64 -> i64 -> (i64, f64)) (is: [n]i64) (xs: [n]f64) =
  let product xs b =
    map2 (\i x -> tabulate k (\j -> let (i, v) = f i x j in if i == b then v else 1)) is xs
    |> flatten
    |> reduce (*) 1
  in vjp (\xs -> tabulate 3 (product xs)) xs [1, 2, 3]

def products [n] (f: *acc -> i64 -> f64 -> *acc) (is: [n]i64) (xs: [n]f64) =
  intrinsics.hist_stream (replicate 3 1f64) (*) 1 (\(acc: *acc) (i, x) -> f acc i x) (zip is xs)

def equal [n] (xs: [n]f64) (ys: [n]f64) =
  and (map2 (\x y -> f64.abs (x - y) <= 1e-9 * f64.abs y) xs ys)

entry bounds [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc = loop acc for j < i do intrinsics.acc_write acc j (x + f64.i64 j)
  in equal (vjp (products f is) xs [1, 2, 3])
           (dense 3 (\i x j -> (if j < i then j else -1, x + f64.i64 j)) is xs)

-- Bounds of loops that depend on loops around them, before and after other contributions.
entry triangles [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc =
    let acc = intrinsics.acc_write acc 1 x
    let acc =
      loop acc for j < i do
        loop acc for k < j do intrinsics.acc_write acc ((j + k) % 3) (x * f64.i64 j)
    in intrinsics.acc_write acc i (x * x)
  let g i x j =
    if j == 25
    then (1, x)
    else if j == 26
    then (i, x * x)
    else
      let (j, k) = (j / 5, j % 5)
      in if j < i && k < j then ((j + k) % 3, x * f64.i64 j) else (-1, x)
  in equal (vjp (products f is) xs [1, 2, 3]) (dense 27 g is xs)

-- As long as a number that is contributed as well is not too small.
entry conditions [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc =
    let (acc, _) =
      loop (acc, y) = (acc, x) while y > 1 do (intrinsics.acc_write acc (i % 3) y, y / 2)
    in acc
  let g i x j = if x / 2 ** f64.i64 j > 1 then (i % 3, x / 2 ** f64.i64 j) else (-1, x)
  in equal (vjp (products f is) xs [1, 2, 3]) (dense 8 g is xs)

entry branches [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc =
    match i
    case 0 -> loop acc for j < i64.f64 x do intrinsics.acc_write acc j x
    case 1 -> acc
    case _ ->
      loop acc for j < i do
        if j % 2 == 0
        then let acc = intrinsics.acc_write acc 0 x in intrinsics.acc_write acc (i - j) (x + 1)
        else acc
  let g i x j =
    if i == 0
    then (if j < i64.f64 x then j else -1, x)
    else if i == 1
    then (-1, x)
    else
      let l = j / 2
      in if l < i && l % 2 == 0 then if j % 2 == 0 then (0, x) else (i - l, x + 1) else (-1, x)
  in equal (vjp (products f is) xs [1, 2, 3]) (dense 10 g is xs)

-- What has been printed or is unknown is handed on as it is; the number of contributions is another accumulation's sum.
entry mixed [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc =
    let ks = hist (+) 0 2 [0, 1, 0] [i, x |> i64.f64, 1]
    let acc = loop acc for j < ks[0] do #[opaque] (intrinsics.acc_write acc j (x + f64.i64 j))
    in loop acc for j < ks[1] do intrinsics.acc_write acc 0 (x + f64.i64 j)
  let g i x j =
    if j < 10
    then (if j < i + 1 then j else -1, x + f64.i64 j)
    else (if j - 10 < i64.f64 x then 0 else -1, x + f64.i64 (j - 10))
  in equal (vjp (products f is) xs [1, 2, 3]) (dense 30 g is xs)

-- ==
-- entry: rows
-- input { [0i64, 1i64, 2i64, 3i64] [2.0, 3.0, 5.0, 7.0] } output { [0.0, 83.0, 68.0, 52.0] }

-- Rows, which are multiplied element by element.
entry rows [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 3 [1f64, 1])
                           (map2 (*))
                           [1, 1]
                           (\(acc: *intrinsics.acc ([3][2]f64)) (i, x) ->
                              loop acc for j < i do intrinsics.acc_write acc j [x, x + 1])
                           (zip is xs)
  in vjp f xs [[1, 1], [1, 1], [1, 1]]

-- ==
-- entry: each
-- input { [[0i64, 1i64, 2i64], [3i64, 0i64, 0i64]] [[2.0, 3.0, 5.0], [7.0, 11.0, 13.0]] }
-- output { [[0.0, 5.0, 5.0], [6.0, 0.0, 0.0]] }
-- input { empty([0][3]i64) empty([0][3]f64) } output { empty([0][3]f64) }

-- Each row has an accumulator of its own.
entry each [n] [m] (iss: [n][m]i64) (xss: [n][m]f64) =
  let f (acc: *acc) i x : *acc = loop acc for j < i do intrinsics.acc_write acc j x
  in map2 (\is xs -> vjp (products f is) xs [1, 2, 3]) iss xss

-- ==
-- entry: twice
-- input { [0i64, 1i64, 2i64, 3i64] [2.0, 3.0, 5.0, 7.0] } output { true }

-- The derivative of the derivative, by tangents and by adjoints.
entry twice [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc = loop acc for j < i do intrinsics.acc_write acc j (x * x)
  let grad xs = vjp (products f is) xs [1, 2, 3]
  let g i x j = (if j < i then j else -1, x * x)
  let unit i = tabulate n (\j -> f64.bool (i == j))
  let expected = tabulate n (\i -> jvp (dense 3 g is) xs (unit i))
  in and (map2 equal (tabulate n (\i -> jvp grad xs (unit i))) expected)
     && and (map2 equal (transpose (tabulate n (\i -> vjp grad xs (unit i)))) expected)

-- ==
-- entry: directions
-- input { 0i64 [0i64, 1i64, 2i64, 3i64] [2.0, 3.0, 5.0, 7.0] } output { true }
-- input { 5i64 [0i64, 1i64, 2i64, 3i64] [2.0, 3.0, 5.0, 7.0] } output { true }

-- Several directions at once, forwards, backwards, and of the gradient.
entry directions [n] (k: i64) (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc = loop acc for j < i do intrinsics.acc_write acc j (x * x)
  let largest xs =
    intrinsics.hist_stream (replicate 3 1f64)
                           f64.max
                           f64.lowest
                           (\(acc: *acc) (i, x) -> f acc i x)
                           (zip is xs)
  let grad xs = vjp (products f is) xs [1, 2, 3]
  let seeds k n : [k][n]f64 = tabulate_2d k n (\i j -> f64.i64 (i * j + i + 1) / 7)
  let near a b = and (map2 equal a b)
  in near (mjp (products f is) xs (seeds k 3)) (map (vjp (products f is) xs) (seeds k 3))
     && near (jmp (products f is) xs (seeds k n)) (map (jvp (products f is) xs) (seeds k n))
     && near (#[unroll] jmp (products f is) xs (seeds 2 n))
             (map (jvp (products f is) xs) (seeds 2 n))
     && near (jmp largest xs (seeds k n)) (map (jvp largest xs) (seeds k n))
     && near (jmp grad xs (seeds k n)) (map (jvp grad xs) (seeds k n))
     && near (mjp grad xs (seeds k n)) (map (vjp grad xs) (seeds k n))

-- ==
-- entry: captured
-- input { 4i64 [0i64, 1i64, 2i64, 3i64] [0.5, 0.25, 0.125, 0.75] } output { true }

-- The operator captures a number with several tangents: it refers to the direction. The gradient has what tangents say.
entry captured [n] (k: i64) (is: [n]i64) (xs: [n]f64) =
  let f [n] (is: [n]i64) (xs: [n]f64) : [3]f64 =
    let c = xs[0] * xs[1]
    in intrinsics.hist_stream (replicate 3 0f64)
                              (\a b -> a + b + c * a * b)
                              0
                              (\(acc: *acc) (i, x) ->
                                 loop acc for j < i do intrinsics.acc_write acc j (x * x))
                              (zip is xs)
  let seeds k n : [k][n]f64 = tabulate_2d k n (\i j -> f64.i64 (i * j + i + 1))
  let h xs = f64.sum (map2 (*) (flatten (jmp (f is) xs (seeds k n))) (map f64.i64 (iota (k * 3))))
  in equal (vjp h xs 1) (map (jvp h xs) (tabulate_2d n n (\i j -> f64.bool (i == j))))

-- ==
-- entry: checks
-- input { [0i64, 1i64, 2i64] [2.0, 3.0, 5.0] } output { [0.0, 5.0, 5.0] }
-- input { [0i64, 1i64, 9i64] [2.0, 3.0, 5.0] } error: Assertion is false
-- input { [0i64, 1i64, 1000000000000000000i64] [2.0, 3.0, 5.0] } error: Assertion is false

-- What is not contributed because a check fails is not counted either.
entry checks [n] (is: [n]i64) (xs: [n]f64) =
  let f (acc: *acc) i x : *acc =
    loop acc for j < i do
      let acc = assert (j < 3) acc
      in intrinsics.acc_write acc j x
  in vjp (products f is) xs [1, 2, 3]
