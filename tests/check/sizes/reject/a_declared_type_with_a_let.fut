-- error: size-expression-bind
type padded [n] = [let m = n in m + 1]i32
