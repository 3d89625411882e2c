-- Sizes that are equal or known where a function is called are parameters all the same, in the order in which they are declared.
#[foreign(c(f))]
def f [n] [m] (k: i64) (xs: [n](f32, i32)) (ys: [m]f32) : {sum: [k]f32, last: i32} =
  {sum = #[unsafe] replicate k (f32.i64 (n + m)), last = 1}

entry main [n] (xs: [n](f32, i32)) =
  let a = f n xs (map (.0) xs)
  let b = f 3 [(1, 2)] [1, 2, 3]
  in (a.sum, b.last)
