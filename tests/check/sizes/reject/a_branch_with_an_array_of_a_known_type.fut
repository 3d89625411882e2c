-- error: existential-size
-- Here "x" is known to be an array of some size before it meets "xs".
def f [n] (c: bool) (xs: [n]i32) (xss: [][n]i32) =
  xss |> map (\(x: []i32) -> if c then xs else x)
