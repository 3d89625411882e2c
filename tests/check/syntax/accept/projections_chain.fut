def f (r: {a: {b: (i32, bool)}}) : i32 = r.a.b.0
