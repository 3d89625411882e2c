-- error: unknown-name
def g (x: i32) = let rec f (y: i32) = y in f x
