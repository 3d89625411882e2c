def f (xs: [](i32, i32)) : i32 = loop acc = 0 for (x, y) in xs do acc + x * y
