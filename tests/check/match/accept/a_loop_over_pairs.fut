def f [n] (xs: [n](i32, i32)) : i32 =
  loop acc = 0 for (a, b) in xs do acc + a * b
