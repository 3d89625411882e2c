-- error: refutable-pattern
def f (xs: [](bool, i32)) : i32 =
  loop acc = 0 for (true, x) in xs do acc + x
