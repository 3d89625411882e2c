-- error: size-expression-bind
def f (x: i64) (xs: [let y = x in y]i32) = xs
