-- error: type-mismatch
def f (xs: []i32) : f64 =
  xs
  |> map f64.i32
  |> filter (\x -> x)
  |> f64.sum
