def f (x: {}) : () = x
