-- A coercion compares, with the reason for the one who wrote it; what depends on it names its certificate.
entry main [n] [m] (xs: [n]i32) (ys: [m]i32) : [n]i32 =
  map2 (+) xs (ys :> [n]i32)
