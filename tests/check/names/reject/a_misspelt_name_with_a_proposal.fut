-- error: unknown-name
def length_of [n] (xs: [n]i32) : i64 = lenght xs
