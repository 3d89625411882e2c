def f (r: {a: {b: i32, c: bool}}) = r with a.b = 3
