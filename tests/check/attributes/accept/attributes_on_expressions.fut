def f (xs: []i32) = #[sequential] map (+ 1) xs
def g (x: i32) = #[trace] x + #[trace(tag)] (x * 2)
def h (xs: []i32) = #[unsafe] xs[0]
def k (n: i64) = #[unroll] loop acc = 0 for i < n do acc + i
