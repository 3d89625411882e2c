-- A size stays if it does in all branches, and changes if it does in one.

def emptied (n: i64) (c: bool) : []i32 =
  loop xs = [] for _i < n do if c then [] else xs ++ [1]

def doubled (n: i64) = loop xss = [[1i32]] for i < n do if i == 3 then transpose xss else xss ++ xss

def restarted [n] (c: bool) (xs: [n]i32) : [n]i32 =
  loop ys = xs for _i < 3i32 do if c then xs else map (+ 1) ys

def replaced (n: i64) (k: i64) (c: bool) : [n]i32 =
  loop xs = replicate n 0
  for i < k do
    let ys = if c then xs else replicate n 1
    in match i
       case 0 -> ys
       case _ -> xs

def grown (n: i64) (k: i64) (c: bool) : []i32 =
  loop xs = replicate n 0
  for _i < k do
    let ys = if c then xs else replicate n 1
    in ys ++ [1]

def swapped [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  loop (xs, ys) for _i < 3i32 do (ys, xs)

def swapped_and_grown (n: i64) = loop (xs, ys) = ([1i32], [2i32]) for _i < n do (ys ++ [1], xs)

entry main (n: i64) (c: bool) =
  ( emptied n c
  , doubled n
  , restarted c (replicate n 1)
  , replaced n 3 c
  , grown n 3 c
  , swapped (replicate n 1) (replicate n 2)
  , swapped_and_grown n
  )
