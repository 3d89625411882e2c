-- error: unknown-name
-- error: size-expression-bind
def f (xs: [n]i32) = xs
