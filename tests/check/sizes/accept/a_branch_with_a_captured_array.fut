-- The type of a parameter without annotation is that of the other branch, sizes included, so that it does
-- not matter how the function is applied.

def applied [n] (c: bool) (xs: [n]i32) (xss: [][n]i32) =
  ( map (\x -> if c then xs else x) xss
  , (map (\x -> if c then xs else x)) xss
  , map (\x -> if c then xs else x) <| xss
  , xss |> map (\x -> if c then x else xs)
  )

def named [n] (c: bool) (xs: [n]i32) (xss: [][n]i32) =
  let choose x = if c then xs else x
  let all = map choose
  let f x = match c case true -> x case false -> xs
  in (map choose xss, all xss, xss |> map f, choose xs : [n]i32)

def literal (c: bool) (xs: [2]i32) =
  let g = map (\x -> if c then [1, 2] else x)
  in g (replicate 3 xs)

def folded [n] (c: bool) (xs: [n]i32) (xss: [][n]i32) =
  let either a b = if c then a else b
  let last = foldl (\a b -> if c then a else b) xs
  in (reduce either xs xss, last xss)

def larger (c: bool) (xs: []i32) = map (\x -> if c then x else xs) (replicate 3 [1, 2])
