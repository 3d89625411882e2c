def f = -x + !y
def g = - -x - -1
def h = ! -x
-- ==>
def f = -x + !y
def g = - -x - -1
def h = ! -x
-- ====
def f = (+) (+1) (1+) (-1) (-) (- x) (`f` x) (x `m.f`) (m.+) (.x) (.[1]) (.x[1].y)
-- ==>
def f = (+) (+ 1) (1 +) (-1) (-) (-x) (`f` x) (x `m.f`) (m.+) (.x) (.[1]) (.x[1].y)
-- ====
def f = x . y + (1) . 0 + a.b.c[1,2:3,::-1][ i ].0.1 + m.(x + y) + 1 . 0
-- ==>
def f = x.y + (1).0 + a.b.c[1, 2:3, ::-1][i].0.1 + m.(x + y) + 1 .0
-- ====
def f = 0..<n
def g = 0 .. 2 ... n
def h = -1..>-n-1
-- ==>
def f = 0..<n
def g = 0 .. 2 ... n
def h = -1..>-n - 1
-- ====
def f = a+b*c-d
def g = a
  +b*c
  -d
def h = a &&
  b == c ||
  d
-- ==>
def f = a + b * c - d
def g =
  a
  + b * c
  - d
def h =
  a
  && b == c
  || d
-- ====
def f xs = xs |> map (+1) |> sum
def g xs = xs
  |> map (+1) |> sum
def h xs = xs |> map (\x ->
  x + 1) |> sum
-- ==>
def f xs = xs |> map (+ 1) |> sum
def g xs =
  xs
  |> map (+ 1)
  |> sum
def h xs =
  xs |> map (\x ->
               x + 1) |> sum
-- ====
def f = g <| h
  <| i
def g = a `f` b
  `m.g` c
-- ==>
def f =
  g
  <| h
  <| i
def g =
  a
  `f` b
  `m.g` c
-- ====
def f xs = map2 (\x y ->
     x + y) xs ys
def g xs = map2 (\x y -> x)
   xs ys
def h xs = map2
     (\x y -> x) xs ys
def k xs = reduce xs \x ->
 let y = 1
 in x
def l xs = #some xs
   ys
-- ==>
def f xs =
  map2 (\x y ->
          x + y) xs ys
def g xs =
  map2 (\x y -> x)
       xs
       ys
def h xs =
  map2
    (\x y -> x)
    xs
    ys
def k xs =
  reduce xs \x ->
    let y = 1
    in x
def l xs =
  #some xs
        ys
-- ====
def f = let x=1 in x
def g = let x = 1 let y = 2
  in x+y
def h = let x = 1 in
  let y = 2 in

  let z = 3 in x
-- ==>
def f = let x = 1 in x
def g =
  let x = 1
  let y = 2
  in x + y
def h =
  let x = 1
  let y = 2

  let z = 3
  in x
-- ====
def f =
  let [n] (xs: [n]i32, _) = g
  let f 'a [m] (x: [m]a) : a = x[0]
  let xs[0] = 1
  let r.f[1].g = let y = 1
     in y
  let {a, b = (c, d), e: i32} = r
  in ()
-- ==>
def f =
  let [n] (xs: [n]i32, _) = g
  let f 'a [m] (x: [m]a) : a = x[0]
  let xs[0] = 1
  let r.f[1].g =
    let y = 1
    in y
  let {a, b = (c, d), e: i32} = r
  in ()
-- ====
def f = if a then b else c
def g = if a then b
  else c
def h = if a
 then b else if c
 then d else
   e
def i = if a then let x = 1
  in x else (
    y)
-- ==>
def f = if a then b else c
def g =
  if a then b
  else c
def h =
  if a
  then b
  else if c
  then d
  else
    e
def i =
  if a then let x = 1
            in x
  else (
    y
  )
-- ====
def f = loop x = 1 for i<n do x+i
def g =
  loop (x, y) = (1, 2) for i < n do
  (y, x)
def h = loop [n] (xs: [n]i32) = f
  while x < 1 do let y = 1
   in y
def i = loop x for (a, b) in xs do x
-- ==>
def f = loop x = 1 for i < n do x + i
def g =
  loop (x, y) = (1, 2) for i < n do
    (y, x)
def h =
  loop [n] (xs: [n]i32) = f
  while x < 1 do
    let y = 1
    in y
def i = loop x for (a, b) in xs do x
-- ====
def f = match x case 1 -> 2 case _ -> 3
def g = match x
   case #some (a, -1) -> a
   case {x = 'a', y} -> let z = 1
     in z

   case (x: i32) -> x
-- ==>
def f = match x case 1 -> 2 case _ -> 3
def g =
  match x
  case #some (a, -1) -> a
  case {x = 'a', y} ->
    let z = 1
    in z

  case (x: i32) -> x
-- ====
def f = a with [i] = b
def g = a with x.y[1] = b with z = c
def h = a with [i] = b
  with [j] = c
-- ==>
def f = a with [i] = b
def g = a with x.y[1] = b with z = c
def h =
  a
    with [i] = b
    with [j] = c
-- ====
def f = {}
def g = {a = 1, b, 0 = c}
def h = {a = 1, b,
   c = {d = 1,
     e = 2}}
def i = { a = 1
        , b
        }
def t = (1,
  2)
-- ==>
def f = {}
def g = {a = 1, b, 0 = c}
def h =
  { a = 1
  , b
  , c =
      { d = 1
      , e = 2
      }
  }
def i =
  { a = 1
  , b
  }
def t =
  ( 1
  , 2
  )
-- ====
def f = [1,2,3]
def g = [1,2,3,
  4,5,6,
  7]
def h = [
  1, 2,
  (1, 2), -3,
]
def i = [f x,
 g y]
def j = []
-- ==>
def f = [1, 2, 3]
def g =
  [1, 2, 3,
   4, 5, 6,
   7]
def h =
  [
    1, 2,
    (1, 2), -3,
  ]
def i =
  [ f x
  , g y
  ]
def j = []
-- ====
def f = x : i32
def g = x
  :> [n]i32 : t
def h = assert (x > 0) (f
  x)
def i = #[unroll] loop x = 1 for i < n do x
def j = #[unroll]
  f x
def k = ??? 
-- ==>
def f = x : i32
def g =
  x
  :> [n]i32 : t
def h =
  assert (x > 0)
    (f
       x)
def i = #[unroll] loop x = 1 for i < n do x
def j =
  #[unroll]
  f x
def k = ???
-- ====
def f = "a -- b" ++ "\"x" ++ 'x' ++ 0x1F ++ 1_000f32 ++ 1e-3
-- ==>
def f = "a -- b" ++ "\"x" ++ 'x' ++ 0x1F ++ 1_000f32 ++ 1e-3
-- ====
def f (x: i32) (y: *[n][]i32) (f: a -> (n: i64) -> ?[k][l].[k][l]t) (_: m.t [n] (a, b)) = 1
-- ==>
def f (x: i32) (y: *[n][]i32) (f: a -> (n: i64) -> ?[k][l].[k][l]t) (_: m.t [n] (a, b)) = 1
-- ====
def a_function_with_a_rather_long_name (first: i32) (second: i32) = some_function first second third fourth
def f = some_function (another_function first second third fourth) (yet_another_function first second third)
def g = first_operand_of_all + second_operand_of_all + third_operand_of_all + fourth_operand_of_all + fifth
def h = {first_field = some_value_here, second_field = some_value_here, third_field = some_value_here, fo = 1}
def i = [1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007, 1000000008, 9]
def j = if some_condition_that_is_long x then some_long_expression x y z else some_other_long_expression x y z
def k = let some_name = some_value_here x y z in let some_other_name = some_other_value_here x y z in some_name
-- ==>
def a_function_with_a_rather_long_name (first: i32) (second: i32) =
  some_function first second third fourth
def f =
  some_function (another_function first second third fourth)
                (yet_another_function first second third)
def g =
  first_operand_of_all
  + second_operand_of_all
  + third_operand_of_all
  + fourth_operand_of_all
  + fifth
def h =
  { first_field = some_value_here
  , second_field = some_value_here
  , third_field = some_value_here
  , fo = 1
  }
def i =
  [1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006, 1000000007, 1000000008,
   9]
def j =
  if some_condition_that_is_long x then some_long_expression x y z
  else some_other_long_expression x y z
def k =
  let some_name = some_value_here x y z
  let some_other_name = some_other_value_here x y z
  in some_name
