def iter 'a (f: a -> a) (n: i32) (x: a) : a = if n == 0 then x else iter f (n - 1) (f x)
